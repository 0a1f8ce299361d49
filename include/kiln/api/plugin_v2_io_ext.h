// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2IOExt: IPluginV2Ext with a separate type and format for each input and output.
#pragma once

#include "kiln/api/plugin_v2_ext.h"

#pragma GCC visibility push(default)

#ifdef __CUDACC__
// nvcc warns in every plugin that overloads of the base classes are hidden. That is intended, and
// no declaration here can avoid the warning. `#pragma nv_diag_default 997` enables it again.
#pragma nv_diag_suppress 997
#endif

namespace nvinfer1 {

//! An IPluginV2Ext that negotiates the type and format of each tensor. Implemented by the user.
//!
//! supportsFormatCombination() replaces supportsFormat(), and configurePlugin() with descriptions
//! replaces the other overload. Shapes omit the batch dimension, as in IPluginV2.
class IPluginV2IOExt : public IPluginV2Ext {
public:
    //! Configures the plugin: nbInput and nbOutput descriptions with the final shapes, types and
    //! formats.
    virtual void configurePlugin(PluginTensorDesc const* in, int32_t nbInput,
                                 PluginTensorDesc const* out, int32_t nbOutput) noexcept = 0;

    //! Whether tensor pos may have its type and format, given those of the preceding tensors.
    //!
    //! \param pos 0 to nbInputs + nbOutputs - 1: the inputs, then the outputs.
    //! \param inOut descriptions of all tensors; read only type and format of 0 to pos.
    virtual bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut,
                                           int32_t nbInputs, int32_t nbOutputs) const noexcept = 0;

    constexpr IPluginV2IOExt() = default;
    ~IPluginV2IOExt() noexcept override = default;

protected:
    constexpr IPluginV2IOExt(IPluginV2IOExt const&) = default;
    constexpr IPluginV2IOExt(IPluginV2IOExt&&) = default;
    IPluginV2IOExt& operator=(IPluginV2IOExt const&) & = default;
    IPluginV2IOExt& operator=(IPluginV2IOExt&&) & = default;

    int32_t getTensorRTVersion() const noexcept override {
        return impl::taggedVersion(PluginVersion::kV2_IOEXT);
    }

    // Base class methods that this interface replaces. They are final, so overriding one is a
    // compile error, and they are never called. They are protected, not private, because existing
    // plugins name them in using-declarations to silence warnings about hidden overloads. GCC warns
    // at the hidden declaration; the pragma silences that.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
    void configurePlugin(Dims const*, int32_t, Dims const*, int32_t, DataType const*,
                         DataType const*, bool const*, bool const*, PluginFormat,
                         int32_t) noexcept final {}
    bool supportsFormat(DataType, PluginFormat) const noexcept final { return false; }
#pragma GCC diagnostic pop
};

} // namespace nvinfer1

#pragma GCC visibility pop
