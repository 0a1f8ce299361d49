// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include <NvInferRuntime.h>

#include "api/loaded_libraries.h"
#include "api/reporter.h"
#include "base/immortal.h"
#include "plugin/resource_table.h"

namespace kiln::api {

/// IPluginRegistry over a table of creators: the table of the process, or an own table whose parent
/// is the table of the process.
class PluginRegistry final : public nvinfer1::IPluginRegistry {
public:
    /// The registry of the process. Never destroyed.
    static PluginRegistry& instance();

    /// A registry for a builder or a runtime, with its log.
    explicit PluginRegistry(Log log);
    ~PluginRegistry() override;

    plugin::CreatorTable const& table() const noexcept { return table_; }

    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    bool isParentSearchEnabled() const override { return table_.searchesParents(); }
    void setParentSearchEnabled(bool enabled) override { table_.searchParents(enabled); }
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
    friend class Immortal<PluginRegistry>;
    explicit PluginRegistry(plugin::CreatorTable& table);

    Log log() const noexcept;
    void report(ErrorKind kind, char const* text) const noexcept;
    /// Runs body(). Reports an exception to the log and the error recorder, and returns
    /// `otherwise`.
    template <typename T, typename Body>
    T guard(T otherwise, Body&& body) const noexcept;

    std::optional<Log> log_;                                      ///< empty: globalLog()
    plugin::CreatorTable own_{&plugin::CreatorTable::instance()}; ///< unused in instance()
    plugin::CreatorTable& table_;
    LoadedLibraries libraries_;
    plugin::ResourceTable resources_;
    nvinfer1::IErrorRecorder* recorder_ = nullptr;
    // The arrays that the list functions returned last; valid until the next such call, as
    // documented.
    mutable std::mutex mutex_;
    mutable std::vector<nvinfer1::IPluginCreatorInterface*> listed_;
    mutable std::vector<nvinfer1::IPluginCreatorInterface*> listedRecursive_;
    mutable std::vector<nvinfer1::IPluginCreator*> listedV2_;
};

} // namespace kiln::api
