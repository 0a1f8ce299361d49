// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/loaded_libraries.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "api/global_logger.h"
#include "base/error.h"

namespace kiln::api {
namespace {

using plugin::CreatorTable;
using plugin::PluginLibrary;

void warnTaken(plugin::PluginId const& id, Log const& log) {
    log.warning(
        "[registry] a creator for plugin {} is registered already; the new one is not used. "
        "Deregister the other one first, or choose another name, version or namespace.",
        id.text());
}

void warnIfTaken(CreatorTable const& table, nvinfer1::IPluginCreatorInterface& creator,
                 std::string_view space, Log const& log) {
    plugin::PluginId const id = plugin::idOf(creator, space);
    if (table.find(id).creator != &creator) {
        warnTaken(id, log);
    }
}

} // namespace

bool addCreator(CreatorTable& table, nvinfer1::IPluginCreatorInterface& creator,
                std::string_view space, std::shared_ptr<PluginLibrary const> library,
                Log const& log) {
    bool const added = table.add(creator, space, std::move(library));
    if (!added) {
        warnTaken(plugin::idOf(creator, space), log);
    }
    return added;
}

void* LoadedLibraries::load(std::string const& path, Log const& log) {
    std::lock_guard const lock(plugin::libraryMutex());
    std::shared_ptr<PluginLibrary> const library = PluginLibrary::open(path, loggerFinder());
    auto const known = std::find_if(loaded_.begin(), loaded_.end(), [&](Loaded const& loaded) {
        return loaded.library == library;
    });
    if (known != loaded_.end()) {
        ++known->users;
        return library->handle();
    }
    loaded_.push_back({library, 1});
    try {
        putIn(library, log);
    } catch (...) {
        takeOut(*library);
        loaded_.pop_back();
        throw;
    }
    return library->handle();
}

void LoadedLibraries::putIn(std::shared_ptr<PluginLibrary> const& library, Log const& log) {
    library->enroll();
    for (plugin::StaticCreator const& own : library->staticCreators()) {
        warnIfTaken(CreatorTable::instance(), *own.creator, own.space, log);
    }
    for (nvinfer1::IPluginCreatorInterface* creator : library->exportedCreators()) {
        addCreator(table_, *creator, "", library, log);
    }
}

void LoadedLibraries::takeOut(PluginLibrary& library) noexcept {
    table_.removeAll(library);
    library.withdraw();
}

void LoadedLibraries::release(void* handle, Log const& log) {
    std::lock_guard const lock(plugin::libraryMutex());
    auto const found = std::find_if(loaded_.begin(), loaded_.end(), [&](Loaded const& loaded) {
        return loaded.library->handle() == handle;
    });
    if (found == loaded_.end()) {
        fail(ErrorKind::kInvalidArgument,
             "[registry] library to deregister: expected the handle that loading it gave, got {}.",
             static_cast<void const*>(handle));
    }
    if (--found->users > 0) {
        return;
    }
    char name[256] = ""; // on the stack: releasing a library must not allocate
    std::strncat(name, found->library->name().c_str(), sizeof(name) - 1);
    std::shared_ptr<PluginLibrary> library = std::move(found->library);
    loaded_.erase(found);
    takeOut(*library);
    std::weak_ptr<PluginLibrary> const left = library;
    library.reset();
    if (!left.expired()) {
        log.info("[registry] plugin library '{}' is deregistered; its code stays in the process as "
                 "long as plugins of networks and engines, or another registry, use it.",
                 name);
    }
}

LoadedLibraries::~LoadedLibraries() {
    std::lock_guard const lock(plugin::libraryMutex());
    for (Loaded& loaded : loaded_) {
        takeOut(*loaded.library);
    }
}

} // namespace kiln::api
