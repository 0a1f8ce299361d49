// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <NvInferRuntime.h>

#include "base/bytes.h"
#include "base/shared_object.h"

namespace kiln::plugin {

/// A creator and the namespace in which it was registered; "" for the creator's own.
struct StaticCreator {
    nvinfer1::IPluginCreatorInterface* creator;
    std::string space;
};

/// A shared library with plugin creators. It stays open while registries that loaded it, or
/// adapters of plugins from it, hold a reference. So code outlives its objects, in whatever order
/// engines, registries and libraries are destroyed. Opening a library that is open returns the same
/// object. Thread-safe; a library may open others while it is opened.
class PluginLibrary : public std::enable_shared_from_this<PluginLibrary> {
public:
    /// Throws kInvalidArgument if the loader fails (with its message) or if the library has no
    /// creators. Libraries that ask for a logger get `finder`.
    static std::shared_ptr<PluginLibrary> open(std::string const& path,
                                               nvinfer1::ILoggerFinder& finder);
    /// The same for a library in memory; `name` is for messages. Also throws kInvalidState if
    /// `ways` allows none.
    static std::shared_ptr<PluginLibrary> openBytes(ByteView bytes, std::string const& name,
                                                    HandOver const& ways,
                                                    nvinfer1::ILoggerFinder& finder);
    ~PluginLibrary();
    PluginLibrary(PluginLibrary const&) = delete;
    PluginLibrary& operator=(PluginLibrary const&) = delete;

    void* handle() const noexcept { return handle_; }
    std::string const& name() const noexcept { return name_; }

    /// The creators that the library registered when it was loaded. The registry of the process
    /// gets them with the first enroll() and loses them when withdraw() was called as often.
    std::vector<StaticCreator> const& staticCreators() const noexcept { return static_; }
    void enroll();
    void withdraw() noexcept;

    /// The creators that it exports, without the static ones.
    std::vector<nvinfer1::IPluginCreatorInterface*> const& exportedCreators() const noexcept {
        return exported_;
    }
    /// Whether the object is a static one of the library, or of a class whose code is in the
    /// library. The class must have virtual functions.
    bool owns(void const* object) const noexcept;

private:
    struct Resident;
    struct State;
    static State& state();
    static Resident* residentOf(void* handle);
    static void letGo(void* handle) noexcept;
    static std::vector<std::shared_ptr<PluginLibrary>> allOpen();
    static std::shared_ptr<PluginLibrary> opened(std::string const& name, Resident fresh,
                                                 nvinfer1::ILoggerFinder& finder);

    PluginLibrary(std::string name, void* handle, std::vector<StaticCreator> statics,
                  nvinfer1::ILoggerFinder& finder);
    friend std::shared_ptr<PluginLibrary const> libraryOf(void const* object);

    std::string name_;
    void* handle_;
    int32_t enrolled_ = 0;
    std::vector<StaticCreator> static_;
    std::vector<nvinfer1::IPluginCreatorInterface*> exported_;
};

/// Held while a library is opened or closed, which runs the library's code. Code that tracks
/// libraries takes this lock and no other, because the library's code may call any registry.
std::recursive_mutex& libraryMutex();

/// The library that owns an object of a class with virtual functions; null if none does.
std::shared_ptr<PluginLibrary const> libraryOf(void const* object);

/// For the registry of the process: collects a creator that registers itself while this thread
/// opens a library. False if the thread opens none; the registry then adds the creator itself.
bool collectStatic(nvinfer1::IPluginCreatorInterface& creator, std::string_view space);

} // namespace kiln::plugin
