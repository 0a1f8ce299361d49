// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3OneBuild: the part of an IPluginV3 that the compiler asks about shapes, types, formats
// and tactics. IPluginV3OneBuildV2 adds outputs that share the memory of an input.
#pragma once

#include "kiln/api/dimension_expr.h"
#include "kiln/api/plugin_capability.h"
#include "kiln/api/plugin_tensor_desc.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! What the compiler needs to know. Implemented by the user; see IPluginV3 for the order of calls.
//!
//! Functions that return int32_t return 0 for success; any other value fails the build, with the
//! layer, the plugin, the function and the value in the error. kilnReportPluginError() in
//! kiln/plugin_error.h adds words to it.
class IPluginV3OneBuild : public IPluginCapability {
public:
    //! What getFormatCombinationLimit() returns by default.
    static constexpr int32_t kDEFAULT_FORMAT_COMBINATION_LIMIT = 100;

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 1, 0};
    }

    //! Tells the plugin the types and formats of a candidate, and the extents of the profile.
    //!
    //! \param in, out nbInputs and nbOutputs descriptions: -1 in desc.dims where extents vary, and
    //!     the profile's extents in min, opt and max.
    //!
    //! Called before getWorkspaceSize() and the questions about tactics, for each candidate, and
    //! once more for the chosen one before the plugin is saved.
    virtual int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                    DynamicPluginTensorDesc const* out,
                                    int32_t nbOutputs) noexcept = 0;

    //! The types of the outputs.
    //!
    //! \param outputTypes nbOutputs types, to be written.
    //! \param inputTypes the types of the nbInputs inputs.
    //!
    //! Unlike formats these do not depend on what the compiler chooses: they are the types of the
    //! network's tensors. In a weakly typed network the chosen ones may differ.
    virtual int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs,
                                       DataType const* inputTypes,
                                       int32_t nbInputs) const noexcept = 0;

    //! The shapes of the outputs.
    //!
    //! \param inputs the shapes of the nbInputs inputs.
    //! \param shapeInputs the values of the nbShapeInputs shape tensors that were given to
    //!     INetworkDefinition::addPluginV3(): each a list of expressions, one for each element.
    //! \param outputs nbOutputs shapes, to be written. Every expression must come from the
    //!     arguments; a null one is an error.
    //! \param exprBuilder makes expressions; use it during this call only.
    virtual int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs,
                                    DimsExprs const* shapeInputs, int32_t nbShapeInputs,
                                    DimsExprs* outputs, int32_t nbOutputs,
                                    IExprBuilder& exprBuilder) noexcept = 0;

    //! Whether tensor pos may have its type and format, given those of the tensors before it.
    //!
    //! \param pos 0 to nbInputs + nbOutputs - 1: the inputs, then the outputs.
    //! \param inOut descriptions of all tensors. Only 0 to pos may be looked at; of pos itself ask
    //!     type and format, of the earlier ones that they were accepted. Extents that vary are -1.
    //!
    //! \return true to accept. The answer depends on the arguments and attributes alone. Shape
    //!     inputs are not asked about.
    virtual bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut,
                                           int32_t nbInputs, int32_t nbOutputs) noexcept = 0;

    //! The number of outputs, at least 1. Called on any object, at any time.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! The scratch memory that enqueue() needs, in bytes. Default: 0.
    //!
    //! The arguments are the descriptions of the inputs, their number, those of the outputs and
    //! their number. The answer must do for every shape between min and max.
    virtual size_t getWorkspaceSize(DynamicPluginTensorDesc const*, int32_t,
                                    DynamicPluginTensorDesc const*, int32_t) const noexcept {
        return 0;
    }

    //! Writes the tactics to try, that is, the ways in which enqueue() can compute the configured
    //! candidate.
    //!
    //! The arguments are the array to write to and its length, which is getNbTactics(). Tactics are
    //! positive and differ from each other. Not called when getNbTactics() is 0; the plugin then
    //! has one tactic, 0.
    virtual int32_t getValidTactics(int32_t*, int32_t) noexcept { return 0; }

    //! The number of tactics of the configured candidate. Default: 0.
    virtual int32_t getNbTactics() noexcept { return 0; }

    //! A text that, together with name, version and namespace, stands for everything that the speed
    //! of the plugin depends on apart from shapes, types and formats, e.g. its attributes.
    //!
    //! \return nullptr, the default, when timings of this plugin must not be reused; "" is a valid
    //!     id. Owned by the plugin, valid until the next call.
    virtual char const* getTimingCacheID() noexcept { return nullptr; }

    //! How many combinations of types and formats Kiln keeps and times at most, 1 or more. It asks
    //! supportsFormatCombination() at most 100 times for each operand and each of these (or of
    //! 100).
    virtual int32_t getFormatCombinationLimit() noexcept {
        return kDEFAULT_FORMAT_COMBINATION_LIMIT;
    }

    //! A text about the plugin that engine inspectors show. Default: nullptr, for none. Owned by
    //! the plugin, valid until the next call.
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

    //! The input whose memory an output uses, to be updated in place.
    //!
    //! The argument is the index of the output, 0 to getNbOutputs() - 1. The two must have the same
    //! type, format and number of elements, and no other output may use the same input.
    //!
    //! \return The index of the input; -1, the default, when the output has memory of its own.
    //!
    //! Needs the preview feature ALIASED_PLUGIN_IO. The input is seen altered by nobody else: Kiln
    //! copies it first where another layer, or the user, still needs the old contents.
    virtual int32_t getAliasedInput(int32_t) noexcept { return -1; }
};

} // namespace v_2_0

using IPluginV3OneBuildV2 = v_2_0::IPluginV3OneBuild;

} // namespace nvinfer1

#pragma GCC visibility pop
