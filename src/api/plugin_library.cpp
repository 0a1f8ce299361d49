// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/plugin_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

#include <NvInfer.h>

#include "api/global_logger.h"
#include "base/error.h"
#include "base/text.h"
#include "plugin/creator_table.h"

namespace kiln::api {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorInterface;
using plugin::CreatorTable;
using Creators = std::vector<IPluginCreatorInterface*>;

/// Hands the global logger to a library that asks for one.
class LoggerFinder final : public nvinfer1::ILoggerFinder {
public:
    nvinfer1::ILogger* findLogger() override { return globalLog().logger(); }
};

LoggerFinder loggerFinder;

template <typename Function>
Function* symbol(void* library, char const* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

template <typename Creator>
void append(Creators& creators, Creator* const* exported, int32_t count) {
    for (int32_t i = 0; exported != nullptr && i < count; ++i) {
        if (exported[i] != nullptr) {
            creators.push_back(exported[i]);
        }
    }
}

Creators exportedBy(void* handle) {
    if (auto* const set = symbol<void(nvinfer1::ILoggerFinder*)>(handle, "setLoggerFinder")) {
        set(&loggerFinder);
    }
    Creators creators;
    int32_t count = 0;
    if (auto* const get =
            symbol<IPluginCreatorInterface* const*(int32_t&)>(handle, "getCreators")) {
        IPluginCreatorInterface* const* const all = get(count);
        append(creators, all, count);
    } else if (auto* const getV2 =
                   symbol<IPluginCreator* const*(int32_t&)>(handle, "getPluginCreators")) {
        IPluginCreator* const* const all = getV2(count);
        append(creators, all, count);
    }
    return creators;
}

/// Whether an object is a static one of the library.
bool liesIn(void* handle, void const* object) {
    link_map* map = nullptr;
    Dl_info info{};
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && dladdr(object, &info) != 0 &&
           reinterpret_cast<ElfW(Addr)>(info.dli_fbase) == map->l_addr;
}

/// What the library exports, and what registered itself when the library came into the process
/// (now, or earlier by other means).
Creators creatorsOf(void* handle) {
    Creators creators = exportedBy(handle);
    for (IPluginCreatorInterface* known : CreatorTable::instance().all()) {
        if (liesIn(handle, known) &&
            std::find(creators.begin(), creators.end(), known) == creators.end()) {
            creators.push_back(known);
        }
    }
    return creators;
}

void addAll(Creators const& creators) {
    Creators const known = CreatorTable::instance().all();
    for (IPluginCreatorInterface* creator : creators) {
        if (std::find(known.begin(), known.end(), creator) == known.end()) {
            CreatorTable::instance().add(*creator, "");
        }
    }
}

} // namespace

void* PluginLibraries::load(std::string const& path) {
    std::lock_guard const lock(mutex_);
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        fail(ErrorKind::kInvalidArgument,
             "[registry] plugin library '{}': {}. Check the path and the libraries that it needs.",
             path, orEmpty(dlerror()));
    }
    for (Library& known : libraries_) {
        if (known.handle == handle) {
            if (known.users++ > 0) {
                dlclose(handle); // one reference serves all users
            }
            addAll(known.creators);
            return handle;
        }
    }
    Creators const creators = creatorsOf(handle);
    if (creators.empty()) {
        dlclose(handle);
        fail(ErrorKind::kInvalidArgument,
             "[registry] plugin library '{}' has no plugin creators. Use REGISTER_TENSORRT_PLUGIN "
             "or export getCreators().",
             path);
    }
    addAll(creators);
    libraries_.push_back({path, handle, 1, creators});
    return handle;
}

void PluginLibraries::release(void* handle) {
    std::lock_guard const lock(mutex_);
    auto const found =
        std::find_if(libraries_.begin(), libraries_.end(), [&](Library const& known) {
            return known.handle == handle && known.users > 0;
        });
    if (found == libraries_.end()) {
        fail(ErrorKind::kInvalidArgument,
             "[registry] deregisterLibrary: expected a handle from loadLibrary, got {}.",
             static_cast<void const*>(handle));
    }
    if (--found->users > 0) {
        return;
    }
    for (IPluginCreatorInterface const* creator : found->creators) {
        CreatorTable::instance().remove(*creator);
    }
    dlclose(handle);
    // A library with unique symbols never leaves the process: loaded again, it would not register
    // its static creators a second time, so they are remembered.
    void* const resident = dlopen(found->path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (resident == nullptr) {
        libraries_.erase(found);
    } else {
        dlclose(resident);
    }
}

} // namespace kiln::api
