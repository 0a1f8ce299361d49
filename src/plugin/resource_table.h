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

/// What plugins of one registry share, by key and counted. Thread-safe; authors' code runs outside
/// of the lock, so that it may come back here, or wait for a lock of its own.
class ResourceTable {
public:
    ResourceTable() = default;
    /// Releases what still has users.
    ~ResourceTable();
    /// Releases what is left; errors go to LateReports.
    void releaseAll() noexcept;
    ResourceTable(ResourceTable const&) = delete;
    ResourceTable& operator=(ResourceTable const&) = delete;

    /// The object that is kept for the key, with one user more: for a new key a clone of
    /// `resource`. Throws kInvalidArgument for an empty key, or a new one without a resource;
    /// kPlugin when the clone fails.
    nvinfer1::IPluginResource* acquire(std::string const& key, nvinfer1::IPluginResource* resource);
    struct Released {
        int32_t code = 0;    ///< 0: done; -1: an unknown key; else what release() returned
        std::string problem; ///< the message for a code other than 0
    };
    /// One user less; the last one releases and deletes the object.
    Released release(std::string const& key);

private:
    struct Kept {
        std::shared_ptr<PluginLibrary const> code; ///< goes after the object
        std::unique_ptr<nvinfer1::IPluginResource> object;
        int32_t users = 0;
    };
    nvinfer1::IPluginResource* use(std::string const& key);

    std::mutex mutex_;
    std::map<std::string, Kept> kept_;
};

} // namespace kiln::plugin
