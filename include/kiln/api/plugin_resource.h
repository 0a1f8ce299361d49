// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_RESOURCE_H
#define KILN_API_PLUGIN_RESOURCE_H

#include "kiln/api/allocators.h"
#include "kiln/api/error_recorder.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginResource : public IVersionedInterface
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IPluginResource", 1, 0};
    }
    virtual int32_t release() noexcept = 0;
    virtual IPluginResource* clone() noexcept = 0;
    ~IPluginResource() noexcept override = default;
    constexpr IPluginResource() = default;
    constexpr IPluginResource(IPluginResource const&) = default;
    constexpr IPluginResource(IPluginResource&&) = default;
    IPluginResource& operator=(IPluginResource const&) & = default;
    IPluginResource& operator=(IPluginResource&&) & = default;
};
} // namespace v_1_0

using IPluginResource = v_1_0::IPluginResource;

class IPluginResourceContext
{
public:
    virtual IGpuAllocator* getGpuAllocator() const noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    virtual ~IPluginResourceContext() noexcept = default;

protected:
    constexpr IPluginResourceContext() = default;
    constexpr IPluginResourceContext(IPluginResourceContext const&) = default;
    constexpr IPluginResourceContext(IPluginResourceContext&&) = default;
    IPluginResourceContext& operator=(IPluginResourceContext const&) & = default;
    IPluginResourceContext& operator=(IPluginResourceContext&&) & = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_RESOURCE_H
