// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2IOExt: IPluginV2Ext with a type and a format of its own for each input and output.
#pragma once

#include "kiln/api/plugin_v2_ext.h"

#pragma GCC visibility push(default)

#ifdef __CUDACC__
// nvcc warns in every plugin that the old overloads of the base classes are hidden, which is what
// this interface is for, and no declaration here can prevent that. A plugin can have the warning
// back by `#pragma nv_diag_default 997`.
#pragma nv_diag_suppress 997
#endif

namespace nvinfer1 {

//! An IPluginV2Ext that negotiates the type and format of each tensor. Implemented by the user.
//!
//! supportsFormatCombination() takes the place of supportsFormat(), and the short configurePlugin()
//! that of the long one. Shapes leave out the batch dimension, as in IPluginV2.
class IPluginV2IOExt : public IPluginV2Ext {
public:
    //! Tells the plugin what was chosen: nbInput and nbOutput descriptions with the final shapes,
    //! types and formats.
    virtual void configurePlugin(PluginTensorDesc const* in, int32_t nbInput,
                                 PluginTensorDesc const* out, int32_t nbOutput) noexcept = 0;

    //! Whether tensor pos may have its type and format, given those of the tensors before it.
    //!
    //! \param pos 0 to nbInputs + nbOutputs - 1: the inputs, then the outputs.
    //! \param inOut descriptions of all tensors; look at type and format of 0 to pos only.
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

    // Methods of the base classes that this interface replaces. They are closed, so that a plugin
    // which still overrides one is told by the compiler, and never called. Protected, not private:
    // older plugins silence warnings about hidden overloads by using-declarations that name them.
    // GCC gives such a warning at the hidden declaration, so these lines silence it.
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
