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

/// A creator and the namespace that it was registered in, "" for its own.
struct StaticCreator {
    nvinfer1::IPluginCreatorInterface* creator;
    std::string space;
};

/// A shared library with creators of plugins. It is open as long as somebody holds it: registries
/// that loaded it, and each adapter of a plugin whose code lies in it. So code never goes before
/// its objects, in whatever order engines, registries and libraries are given up. Opening what is
/// open already gives the same object. Thread-safe; a library may open others while it is opened.
class PluginLibrary : public std::enable_shared_from_this<PluginLibrary> {
public:
    /// Throws kInvalidArgument with the loader's words, or when the library has no creators.
    /// `finder` is given to libraries that ask for a logger.
    static std::shared_ptr<PluginLibrary> open(std::string const& path,
                                               nvinfer1::ILoggerFinder& finder);
    /// The same for a library in memory; `name` is for messages. Also throws kInvalidState when no
    /// way is allowed.
    static std::shared_ptr<PluginLibrary> openBytes(ByteView bytes, std::string const& name,
                                                    HandOver const& ways,
                                                    nvinfer1::ILoggerFinder& finder);
    ~PluginLibrary();
    PluginLibrary(PluginLibrary const&) = delete;
    PluginLibrary& operator=(PluginLibrary const&) = delete;

    void* handle() const noexcept { return handle_; }
    std::string const& name() const noexcept { return name_; }

    /// What it registered by itself when it came into the process. These are kept back from the
    /// registry of the process until somebody enrolls the library, and taken out again when as many
    /// withdrew it.
    std::vector<StaticCreator> const& staticCreators() const noexcept { return static_; }
    void enroll();
    void withdraw() noexcept;

    /// What it exports.
    std::vector<nvinfer1::IPluginCreatorInterface*> const& exportedCreators() const noexcept {
        return exported_;
    }
    /// Whether the object is a static one of the library, or of a class whose code lies in it.
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

/// Held while a library is opened or closed, which runs code of its own. Whoever keeps books on
/// libraries takes it and no other lock, since that code may come back from any registry.
std::recursive_mutex& libraryMutex();

/// The library that owns an object of a class with virtual functions; null when none does.
std::shared_ptr<PluginLibrary const> libraryOf(void const* object);

/// To be asked by the registry of the process: takes a creator that registers itself while this
/// thread opens a library. False if none is opened: the creator is the registry's matter.
bool collectStatic(nvinfer1::IPluginCreatorInterface& creator, std::string_view space);

} // namespace kiln::plugin
