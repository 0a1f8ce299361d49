// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_REGISTRY_H
#define KILN_API_PLUGIN_REGISTRY_H

#include "kiln/api/error_recorder.h"
#include "kiln/api/plugin_creator.h"
#include "kiln/api/plugin_resource.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IPluginRegistry
{
public:
    using PluginLibraryHandle = void*;
    constexpr IPluginRegistry() = default;
    IPluginRegistry(IPluginRegistry const&) = delete;
    IPluginRegistry(IPluginRegistry&&) = delete;
    IPluginRegistry& operator=(IPluginRegistry const&) & = delete;
    IPluginRegistry& operator=(IPluginRegistry&&) & = delete;
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    virtual bool isParentSearchEnabled() const = 0;
    virtual void setParentSearchEnabled(bool enabled) = 0;
    virtual PluginLibraryHandle loadLibrary(AsciiChar const* pluginPath) noexcept = 0;
    virtual void deregisterLibrary(PluginLibraryHandle handle) noexcept = 0;
    virtual bool registerCreator(IPluginCreatorInterface& creator,
        AsciiChar const* pluginNamespace) noexcept = 0;
    virtual IPluginCreatorInterface* const* getAllCreators(int32_t* numCreators) const noexcept = 0;
    virtual IPluginCreatorInterface* getCreator(AsciiChar const* pluginName,
        AsciiChar const* pluginVersion, AsciiChar const* pluginNamespace = "") noexcept = 0;
    virtual bool deregisterCreator(IPluginCreatorInterface const& creator) noexcept = 0;
    virtual IPluginResource* acquirePluginResource(AsciiChar const* key,
        IPluginResource* resource) noexcept = 0;
    virtual int32_t releasePluginResource(AsciiChar const* key) noexcept = 0;
    virtual IPluginCreatorInterface* const* getAllCreatorsRecursive(
        int32_t* numCreators) noexcept = 0;
    TRT_DEPRECATED virtual bool registerCreator(IPluginCreator& creator,
        AsciiChar const* pluginNamespace) noexcept = 0;
    TRT_DEPRECATED virtual IPluginCreator* const* getPluginCreatorList(
        int32_t* numCreators) const noexcept = 0;
    TRT_DEPRECATED virtual IPluginCreator* getPluginCreator(AsciiChar const* pluginName,
        AsciiChar const* pluginVersion, AsciiChar const* pluginNamespace = "") noexcept = 0;
    TRT_DEPRECATED virtual bool deregisterCreator(IPluginCreator const& creator) noexcept = 0;

protected:
    virtual ~IPluginRegistry() noexcept = default;
};

} // namespace nvinfer1

extern "C" TENSORRTAPI nvinfer1::IPluginRegistry* getPluginRegistry() noexcept;

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_REGISTRY_H
