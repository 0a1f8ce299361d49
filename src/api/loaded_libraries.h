// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "plugin/creator_table.h"

namespace kiln::api {

/// Adds a creator to a table. Warns and returns false if another creator has the same name, version
/// and namespace.
bool addCreator(plugin::CreatorTable& table, nvinfer1::IPluginCreatorInterface& creator,
                std::string_view space, std::shared_ptr<plugin::PluginLibrary const> library,
                Log const& log);

/// The shared libraries that IPluginRegistry::loadLibrary() opened for one registry. Loads are
/// counted: a library stays until it has been released as often as loaded. Thread-safe.
class LoadedLibraries {
public:
    explicit LoadedLibraries(plugin::CreatorTable& table) : table_(table) {}
    ~LoadedLibraries();
    LoadedLibraries(LoadedLibraries const&) = delete;
    LoadedLibraries& operator=(LoadedLibraries const&) = delete;

    /// Opens a library and registers its creators: exported ones in this table, self-registering
    /// ones in the table of the process. Throws like PluginLibrary::open().
    void* load(std::string const& path, Log const& log);
    /// Throws kInvalidArgument for a handle that load() did not return.
    void release(void* handle, Log const& log);

private:
    struct Loaded {
        std::shared_ptr<plugin::PluginLibrary> library;
        int32_t users = 0;
    };
    void putIn(std::shared_ptr<plugin::PluginLibrary> const& library, Log const& log);
    void takeOut(plugin::PluginLibrary& library) noexcept;

    plugin::CreatorTable& table_;
    std::vector<Loaded> loaded_; ///< guarded by plugin::libraryMutex()
};

} // namespace kiln::api
