// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/immortal.h"
#include "base/shared_object.h"
#include "plugin/creator_table.h"

namespace kiln::plugin {
namespace {

using nvinfer1::ILoggerFinder;
using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorInterface;
using Creators = std::vector<IPluginCreatorInterface*>;

thread_local std::vector<StaticCreator>* collecting = nullptr;

/// The creators that register themselves while `open` runs.
template <typename F>
std::vector<StaticCreator> collectedBy(F&& open) {
    std::vector<StaticCreator> collected;
    auto* const outer = std::exchange(collecting, &collected);
    try {
        open();
    } catch (...) {
        collecting = outer;
        throw;
    }
    collecting = outer;
    return collected;
}

template <typename Function>
Function* symbol(void* handle, char const* name) {
    return reinterpret_cast<Function*>(dlsym(handle, name));
}

template <typename Creator>
void append(Creators& creators, Creator* const* exported, int32_t count) {
    for (int32_t i = 0; exported != nullptr && i < count; ++i) {
        if (exported[i] != nullptr) {
            creators.push_back(exported[i]);
        }
    }
}

Creators exportedBy(void* handle, ILoggerFinder& finder) {
    if (auto* const set = symbol<void(ILoggerFinder*)>(handle, "setLoggerFinder")) {
        set(&finder);
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

/// The creators that registered themselves with the process when it loaded the library earlier, by
/// other means.
std::vector<StaticCreator> registeredBy(void* handle) {
    std::vector<StaticCreator> statics;
    for (IPluginCreatorInterface* known : CreatorTable::instance().all()) {
        if (liesIn(handle, known)) {
            statics.push_back({known, CreatorTable::instance().spaceOf(*known)});
        }
    }
    return statics;
}

} // namespace

/// What is known of a loaded object, kept while it is in the process. An object with unique symbols
/// stays when it is closed; opened again, it does not register its creators a second time.
struct PluginLibrary::Resident {
    void* handle = nullptr;
    std::vector<StaticCreator> statics;
    std::unique_ptr<TransientFile> file; ///< of libraries opened from bytes
    uint64_t hash = 0;                   ///< of the bytes
    std::size_t bytes = 0;
};

std::recursive_mutex& libraryMutex() {
    static Immortal<std::recursive_mutex> mutex; // plugins may be destroyed at exit
    return *mutex;
}

struct PluginLibrary::State {
    std::vector<Resident> residents; ///< guarded by libraryMutex()
    std::mutex looking;              ///< guards `open`; held for nothing else
    std::vector<std::weak_ptr<PluginLibrary>> open;
};

PluginLibrary::State& PluginLibrary::state() {
    static Immortal<State> all; // plugins may be destroyed at exit
    return *all;
}

PluginLibrary::Resident* PluginLibrary::residentOf(void* handle) {
    auto& all = state().residents;
    auto const found = std::find_if(all.begin(), all.end(), [&](Resident const& resident) {
        return resident.handle == handle;
    });
    return found == all.end() ? nullptr : &*found;
}

/// Returns owning pointers, so that no library is destroyed under the lock.
std::vector<std::shared_ptr<PluginLibrary>> PluginLibrary::allOpen() {
    std::vector<std::shared_ptr<PluginLibrary>> libraries;
    std::lock_guard const lock(state().looking);
    for (std::weak_ptr<PluginLibrary> const& known : state().open) {
        if (std::shared_ptr<PluginLibrary> library = known.lock()) {
            libraries.push_back(std::move(library));
        }
    }
    return libraries;
}

bool collectStatic(IPluginCreatorInterface& creator, std::string_view space) {
    if (collecting == nullptr) {
        return false;
    }
    collecting->push_back({&creator, std::string(space)});
    return true;
}

std::shared_ptr<PluginLibrary> PluginLibrary::open(std::string const& path, ILoggerFinder& finder) {
    std::lock_guard const lock(libraryMutex());
    Resident fresh;
    fresh.statics = collectedBy([&] { fresh.handle = openObject(path, path); });
    return opened(path, std::move(fresh), finder);
}

std::shared_ptr<PluginLibrary> PluginLibrary::openBytes(ByteView bytes, std::string const& name,
                                                        HandOver const& ways,
                                                        ILoggerFinder& finder) {
    std::lock_guard const lock(libraryMutex());
    Resident fresh;
    fresh.hash = hashBytes(bytes);
    fresh.bytes = bytes.size();
    auto& all = state().residents;
    auto const same = std::find_if(all.begin(), all.end(), [&](Resident const& resident) {
        return resident.file != nullptr && resident.hash == fresh.hash &&
               resident.bytes == fresh.bytes;
    });
    if (same != all.end()) {
        fresh.handle = openObject(same->file->path(), name);
        return opened(name, std::move(fresh), finder);
    }
    fresh.file = std::make_unique<TransientFile>(bytes, name, ways);
    fresh.statics = collectedBy([&] { fresh.handle = openObject(fresh.file->path(), name); });
    fresh.file->hide();
    return opened(name, std::move(fresh), finder);
}

/// `fresh` describes the object as just opened. The library may be open or resident already.
std::shared_ptr<PluginLibrary> PluginLibrary::opened(std::string const& name, Resident fresh,
                                                     ILoggerFinder& finder) {
    struct Reference { // closes the handle unless the library takes it over
        void* handle;
        ~Reference() {
            if (handle != nullptr) {
                letGo(handle);
            }
        }
    } reference{fresh.handle};
    void* const handle = fresh.handle;
    for (std::shared_ptr<PluginLibrary> const& library : allOpen()) {
        if (library->handle_ == handle) {
            return library; // it has a reference already
        }
    }
    if (residentOf(handle) == nullptr) {
        if (fresh.statics.empty()) {
            fresh.statics = registeredBy(handle);
        }
        state().residents.push_back(std::move(fresh));
    }
    auto* const made = new PluginLibrary(name, handle, residentOf(handle)->statics, finder);
    reference.handle = nullptr;
    std::shared_ptr<PluginLibrary> library(made);
    if (library->static_.empty() && library->exported_.empty()) {
        fail(ErrorKind::kInvalidArgument,
             "[registry] plugin library '{}' has no plugin creators. Use REGISTER_TENSORRT_PLUGIN "
             "or export getCreators().",
             name);
    }
    std::lock_guard const lock(state().looking);
    state().open.push_back(library);
    return library;
}

PluginLibrary::PluginLibrary(std::string name, void* handle, std::vector<StaticCreator> statics,
                             ILoggerFinder& finder)
    : name_(std::move(name)), handle_(handle), static_(std::move(statics)),
      exported_(exportedBy(handle, finder)) {
    std::erase_if(exported_, [&](IPluginCreatorInterface* creator) {
        return std::any_of(static_.begin(), static_.end(),
                           [&](StaticCreator const& own) { return own.creator == creator; });
    });
}

PluginLibrary::~PluginLibrary() {
    {
        std::lock_guard const lock(state().looking);
        std::erase_if(state().open, [](auto const& known) { return known.expired(); });
    }
    std::lock_guard const lock(libraryMutex());
    letGo(handle_);
}

/// Closes one reference of the loader.
void PluginLibrary::letGo(void* handle) noexcept {
    if (closeObject(handle)) {
        std::erase_if(state().residents,
                      [&](Resident const& resident) { return resident.handle == handle; });
    }
}

void PluginLibrary::enroll() {
    std::lock_guard const lock(libraryMutex());
    if (enrolled_++ == 0) {
        for (StaticCreator const& own : static_) {
            CreatorTable::instance().add(*own.creator, own.space, shared_from_this());
        }
    }
}

void PluginLibrary::withdraw() noexcept {
    std::lock_guard const lock(libraryMutex());
    if (--enrolled_ == 0) {
        CreatorTable::instance().removeAll(*this);
    }
}

bool PluginLibrary::owns(void const* object) const noexcept {
    return liesIn(handle_, object) || liesIn(handle_, *static_cast<void const* const*>(object));
}

std::shared_ptr<PluginLibrary const> libraryOf(void const* object) {
    for (std::shared_ptr<PluginLibrary> const& library : PluginLibrary::allOpen()) {
        if (library->owns(object)) {
            return library;
        }
    }
    return nullptr;
}

} // namespace kiln::plugin
