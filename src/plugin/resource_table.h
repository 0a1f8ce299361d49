// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <NvInferRuntime.h>

#include "plugin/plugin_library.h"

namespace kiln::plugin {

/// Resources that plugins of one registry share, by key, with reference counts. Thread-safe. Plugin
/// code runs outside the lock, so it may call this table or wait for its own locks.
class ResourceTable {
public:
    ResourceTable() = default;
    /// Releases resources that still have users.
    ~ResourceTable();
    /// Releases all resources; errors go to LateReports.
    void releaseAll() noexcept;
    ResourceTable(ResourceTable const&) = delete;
    ResourceTable& operator=(ResourceTable const&) = delete;

    /// Returns the object for the key and adds a user. For a new key, clones `resource`. Throws
    /// kInvalidArgument for an empty key or a new key without a resource; kPlugin if the clone
    /// fails.
    nvinfer1::IPluginResource* acquire(std::string const& key, nvinfer1::IPluginResource* resource);
    struct Released {
        int32_t code = 0;    ///< 0: success; -1: unknown key or error text; else the code
        std::string problem; ///< the error message; empty: no error
    };
    /// Removes one user. The last one releases and deletes the object.
    Released release(std::string const& key);

private:
    struct Kept {
        std::shared_ptr<PluginLibrary const> code; ///< destroyed after the object
        std::unique_ptr<nvinfer1::IPluginResource> object;
        int32_t users = 0;
    };
    nvinfer1::IPluginResource* use(std::string const& key);

    std::mutex mutex_;
    std::map<std::string, Kept> kept_;
};

} // namespace kiln::plugin
