// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3OneBuild: the build capability of an IPluginV3: shapes, types, formats and tactics.
// IPluginV3OneBuildV2 adds outputs that share the memory of an input.
#pragma once

#include "kiln/api/dimension_expr.h"
#include "kiln/api/plugin_capability.h"
#include "kiln/api/plugin_tensor_desc.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! The build capability. Implemented by the user; see IPluginV3 for the order of calls.
//!
//! Functions that return a status return 0 for success; any other value fails the build. The error
//! names the layer, the plugin, the function and the value. Report the reason with
//! kilnReportPluginError() (kiln/plugin_error.h).
class IPluginV3OneBuild : public IPluginCapability {
public:
    //! Default of getFormatCombinationLimit().
    static constexpr int32_t kDEFAULT_FORMAT_COMBINATION_LIMIT = 100;

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 1, 0};
    }

    //! Configures the plugin with the types and formats of a candidate, and the shapes of the
    //! profile.
    //!
    //! \param in, out nbInputs and nbOutputs descriptions: dynamic extents are -1 in desc.dims;
    //!     min, opt and max have the extents of the profile.
    //!
    //! Called for each candidate before getWorkspaceSize() and the tactic functions, and again for
    //! the selected candidate before the plugin is serialized.
    virtual int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                    DynamicPluginTensorDesc const* out,
                                    int32_t nbOutputs) noexcept = 0;

    //! The types of the outputs.
    //!
    //! \param outputTypes nbOutputs types, to be written.
    //! \param inputTypes the types of the nbInputs inputs.
    //!
    //! These are the types of the network's tensors and do not depend on choices of the compiler.
    //! In a weakly typed network the selected types may differ.
    virtual int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs,
                                       DataType const* inputTypes,
                                       int32_t nbInputs) const noexcept = 0;

    //! The shapes of the outputs.
    //!
    //! \param inputs the shapes of the nbInputs inputs.
    //! \param shapeInputs the values of the nbShapeInputs shape tensors of
    //!     INetworkDefinition::addPluginV3(), as one expression for each element.
    //! \param outputs nbOutputs shapes, to be written. Every expression must come from the
    //!     arguments; a null one is an error.
    //! \param exprBuilder creates expressions; valid during this call only.
    virtual int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs,
                                    DimsExprs const* shapeInputs, int32_t nbShapeInputs,
                                    DimsExprs* outputs, int32_t nbOutputs,
                                    IExprBuilder& exprBuilder) noexcept = 0;

    //! Whether tensor pos may have its type and format, given those of the preceding tensors.
    //!
    //! \param pos 0 to nbInputs + nbOutputs - 1: the inputs, then the outputs.
    //! \param inOut descriptions of all tensors. Read only 0 to pos: check type and format of pos;
    //!     the preceding ones were already accepted. Dynamic extents are -1.
    //!
    //! \return true to accept. The result must depend only on the arguments and the attributes. Not
    //!     called for shape inputs.
    virtual bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut,
                                           int32_t nbInputs, int32_t nbOutputs) noexcept = 0;

    //! The number of outputs, at least 1. May be called on any object at any time.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! The scratch memory that enqueue() needs, in bytes. Default: 0.
    //!
    //! The arguments are the descriptions of the inputs, their number, those of the outputs and
    //! their number. The result must suffice for every shape between min and max.
    virtual size_t getWorkspaceSize(DynamicPluginTensorDesc const*, int32_t,
                                    DynamicPluginTensorDesc const*, int32_t) const noexcept {
        return 0;
    }

    //! Writes the tactics to time: the alternative implementations of enqueue() for the configured
    //! candidate.
    //!
    //! The arguments are the array to write to and its length, getNbTactics(). Tactics must be
    //! positive and distinct. Not called when getNbTactics() is 0; the plugin then has one tactic,
    //! 0.
    virtual int32_t getValidTactics(int32_t*, int32_t) noexcept { return 0; }

    //! The number of tactics of the configured candidate. Default: 0.
    virtual int32_t getNbTactics() noexcept { return 0; }

    //! A string that, with name, version and namespace, identifies everything except shapes, types
    //! and formats that affects the speed of the plugin, e.g. its attributes.
    //!
    //! \return nullptr, the default, if timings of this plugin must not be reused; "" is a valid
    //!     id. Owned by the plugin, valid until the next call.
    virtual char const* getTimingCacheID() noexcept { return nullptr; }

    //! The maximum number of combinations of types and formats that Kiln times, 1 or more. Kiln
    //! calls supportsFormatCombination() at most 100 * max(limit, 100) times per operand.
    virtual int32_t getFormatCombinationLimit() noexcept {
        return kDEFAULT_FORMAT_COMBINATION_LIMIT;
    }

    //! A description of the plugin that engine inspectors show. Default: nullptr, for none. Owned
    //! by the plugin, valid until the next call.
    virtual char const* getMetadataString() noexcept { return nullptr; }
};

} // namespace v_1_0

using IPluginV3OneBuild = v_1_0::IPluginV3OneBuild;

namespace v_2_0 {

//! IPluginV3OneBuild with outputs that share the memory of an input. Implemented by the user.
class IPluginV3OneBuild : public v_1_0::IPluginV3OneBuild {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 2, 0};
    }

    //! The input whose memory an output shares, to update it in place.
    //!
    //! The argument is the index of the output, 0 to getNbOutputs() - 1. The two must have the same
    //! type, format and number of elements, and no other output may use the same input.
    //!
    //! \return The index of the input; -1, the default, if the output has its own memory.
    //!
    //! Requires PreviewFeature::kALIASED_PLUGIN_IO_10_03. Kiln copies the input first if another
    //! layer or the user still needs the old contents.
    virtual int32_t getAliasedInput(int32_t) noexcept { return -1; }
};

} // namespace v_2_0

using IPluginV3OneBuildV2 = v_2_0::IPluginV3OneBuild;

} // namespace nvinfer1

#pragma GCC visibility pop
