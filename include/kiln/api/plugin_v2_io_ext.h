// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_V2_IO_EXT_H
#define KILN_API_PLUGIN_V2_IO_EXT_H

#include "kiln/api/plugin_v2_ext.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IPluginV2IOExt : public IPluginV2Ext
{
public:
    virtual void configurePlugin(PluginTensorDesc const* in, int32_t nbInput,
        PluginTensorDesc const* out, int32_t nbOutput) noexcept = 0;
    virtual bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut,
        int32_t nbInputs, int32_t nbOutputs) const noexcept = 0;
    constexpr IPluginV2IOExt() = default;
    ~IPluginV2IOExt() noexcept override = default;

protected:
    constexpr IPluginV2IOExt(IPluginV2IOExt const&) = default;
    constexpr IPluginV2IOExt(IPluginV2IOExt&&) = default;
    IPluginV2IOExt& operator=(IPluginV2IOExt const&) & = default;
    IPluginV2IOExt& operator=(IPluginV2IOExt&&) & = default;
    int32_t getTensorRTVersion() const noexcept override
    {
        return impl::taggedVersion(PluginVersion::kV2_IOEXT);
    }

    void configurePlugin(Dims const*, int32_t, Dims const*, int32_t, DataType const*,
        DataType const*, bool const*, bool const*, PluginFormat, int32_t) noexcept final
    {
    }
    bool supportsFormat(DataType, PluginFormat) const noexcept final { return false; }
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_V2_IO_EXT_H
