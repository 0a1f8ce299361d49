// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include <NvInferRuntime.h>

#include "api/plugin_library.h"
#include "api/reporter.h"

namespace kiln::api {

/// IPluginRegistry over the process-wide creator table.
class PluginRegistry final : public nvinfer1::IPluginRegistry {
public:
    /// The one registry of the process. Never destroyed.
    static PluginRegistry& instance();

    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    bool isParentSearchEnabled() const override { return parentSearch_; }
    void setParentSearchEnabled(bool enabled) override { parentSearch_ = enabled; }
    PluginLibraryHandle loadLibrary(nvinfer1::AsciiChar const* pluginPath) noexcept override;
    void deregisterLibrary(PluginLibraryHandle handle) noexcept override;
    bool registerCreator(nvinfer1::IPluginCreatorInterface& creator,
                         nvinfer1::AsciiChar const* pluginNamespace) noexcept override;
    nvinfer1::IPluginCreatorInterface* const* getAllCreators(
        int32_t* numCreators) const noexcept override;
    nvinfer1::IPluginCreatorInterface* getCreator(
        nvinfer1::AsciiChar const* pluginName, nvinfer1::AsciiChar const* pluginVersion,
        nvinfer1::AsciiChar const* pluginNamespace) noexcept override;
    bool deregisterCreator(nvinfer1::IPluginCreatorInterface const& creator) noexcept override;
    nvinfer1::IPluginResource* acquirePluginResource(
        nvinfer1::AsciiChar const* key, nvinfer1::IPluginResource* resource) noexcept override;
    int32_t releasePluginResource(nvinfer1::AsciiChar const* key) noexcept override;
    nvinfer1::IPluginCreatorInterface* const* getAllCreatorsRecursive(
        int32_t* numCreators) noexcept override;
    bool registerCreator(nvinfer1::IPluginCreator& creator,
                         nvinfer1::AsciiChar const* pluginNamespace) noexcept override;
    nvinfer1::IPluginCreator* const* getPluginCreatorList(
        int32_t* numCreators) const noexcept override;
    nvinfer1::IPluginCreator* getPluginCreator(
        nvinfer1::AsciiChar const* pluginName, nvinfer1::AsciiChar const* pluginVersion,
        nvinfer1::AsciiChar const* pluginNamespace) noexcept override;
    bool deregisterCreator(nvinfer1::IPluginCreator const& creator) noexcept override;

private:
    void report(ErrorKind kind, std::string const& text) const noexcept;
    /// Runs body(); an exception goes to the global logger and this registry's recorder.
    template <typename T, typename Body>
    T guard(T otherwise, Body&& body) const noexcept;

    bool parentSearch_ = true;
    mutable std::mutex mutex_;
    nvinfer1::IErrorRecorder* recorder_ = nullptr;
    PluginLibraries libraries_; ///< opened by loadLibrary
    // What the list functions handed out last; valid until the next such call, as documented.
    mutable std::vector<nvinfer1::IPluginCreatorInterface*> listed_;
    mutable std::vector<nvinfer1::IPluginCreator*> listedV2_;
};

} // namespace kiln::api
