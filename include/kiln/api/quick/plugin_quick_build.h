// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3QuickBuild: the build capability of a decorated plugin.
#pragma once

#include "kiln/api/dimension_expr.h"
#include "kiln/api/plugin_capability.h"
#include "kiln/api/plugin_tensor_desc.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Like IPluginV3OneBuild, but the plugin lists the combinations that it supports, and has no
//! workspace. Functions that return int32_t return 0 for success unless documented otherwise.
class IPluginV3QuickBuild : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3QUICK_BUILD", 1, 0};
    }

    //! The types of the outputs.
    //!
    //! \param outputTypes nbOutputs types, to be written.
    //! \param inputTypes, inputRanks the types and ranks of the nbInputs inputs.
    virtual int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs,
                                       DataType const* inputTypes, int32_t const* inputRanks,
                                       int32_t nbInputs) const noexcept = 0;

    //! The shapes of the outputs; as IPluginV3OneBuild::getOutputShapes().
    virtual int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs,
                                    DimsExprs const* shapeInputs, int32_t nbShapeInputs,
                                    DimsExprs* outputs, int32_t nbOutputs,
                                    IExprBuilder& exprBuilder) noexcept = 0;

    //! Configures the plugin with the types, formats and shapes of a candidate. Called before the
    //! tactic functions and before the plugin is serialized.
    virtual int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                    DynamicPluginTensorDesc const* out,
                                    int32_t nbOutputs) noexcept = 0;

    //! The number of supported combinations of types and formats.
    //!
    //! \param inOut the inputs, then the outputs, with their types in the network and the linear
    //!     format.
    //!
    //! \return the number; a value below 1 is an error.
    virtual int32_t getNbSupportedFormatCombinations(DynamicPluginTensorDesc const* inOut,
                                                     int32_t nbInputs,
                                                     int32_t nbOutputs) noexcept = 0;

    //! Writes the supported combinations.
    //!
    //! \param supportedCombinations nbFormatCombinations * (nbInputs + nbOutputs) descriptions, to
    //!     be written, one combination after another. Only type and format are used.
    //! \param nbFormatCombinations the result of getNbSupportedFormatCombinations().
    virtual int32_t getSupportedFormatCombinations(DynamicPluginTensorDesc const* inOut,
                                                   int32_t nbInputs, int32_t nbOutputs,
                                                   PluginTensorDesc* supportedCombinations,
                                                   int32_t nbFormatCombinations) noexcept = 0;

    //! The number of outputs, at least 1.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! As IPluginV3OneBuildV2::getAliasedInput(). The argument is the index of the output.
    virtual int32_t getAliasedInput(int32_t) noexcept { return -1; }

    //! Writes the tactics of the configured candidate: positive and distinct.
    virtual int32_t getValidTactics(int32_t*, int32_t) noexcept { return 0; }

    //! The number of tactics of the configured candidate. Default: 0.
    virtual int32_t getNbTactics() noexcept { return 0; }

    //! As IPluginV3OneBuild::getTimingCacheID().
    virtual char const* getTimingCacheID() noexcept { return nullptr; }

    //! As IPluginV3OneBuild::getMetadataString().
    virtual char const* getMetadataString() noexcept { return nullptr; }
};

} // namespace v_1_0

using IPluginV3QuickBuild = v_1_0::IPluginV3QuickBuild;

} // namespace nvinfer1

#pragma GCC visibility pop
