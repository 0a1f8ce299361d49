// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "plugin/creator_table.h"

namespace kiln::api {

/// Adds a creator to a table; a warning says so if its names are taken by another one.
bool addCreator(plugin::CreatorTable& table, nvinfer1::IPluginCreatorInterface& creator,
                std::string_view space, std::shared_ptr<plugin::PluginLibrary const> library,
                Log const& log);

/// The shared libraries that IPluginRegistry::loadLibrary() opened for one registry. A library that
/// is loaded twice is there until it was given back twice. Thread-safe.
class LoadedLibraries {
public:
    explicit LoadedLibraries(plugin::CreatorTable& table) : table_(table) {}
    ~LoadedLibraries();
    LoadedLibraries(LoadedLibraries const&) = delete;
    LoadedLibraries& operator=(LoadedLibraries const&) = delete;

    /// Opens a library and registers its creators: exported ones in this table, those that register
    /// themselves in that of the process. Throws as PluginLibrary::open().
    void* load(std::string const& path, Log const& log);
    /// Throws kInvalidArgument for a handle that is not loaded here.
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
