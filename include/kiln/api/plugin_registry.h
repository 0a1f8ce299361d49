// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginRegistry: finds the creator of a plugin by name, version and namespace.
#pragma once

#include "kiln/api/error_recorder.h"
#include "kiln/api/plugin_creator.h"
#include "kiln/api/plugin_resource.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The creators that a process, or one runtime or builder, knows. Implemented by Kiln.
//!
//! getPluginRegistry() is the one of the process. Each builder and each runtime has one of its own,
//! whose parent it is: what is registered there is known there alone, and what is not found there
//! is looked for in the parent, unless the parent search is switched off.
//!
//! The registry does not own creators: each must stay alive until it is deregistered or the process
//! ends. All methods may be called from several threads at once.
class IPluginRegistry {
public:
    //! Stands for a library that loadLibrary() opened.
    using PluginLibraryHandle = void*;

    constexpr IPluginRegistry() = default;
    IPluginRegistry(IPluginRegistry const&) = delete;
    IPluginRegistry(IPluginRegistry&&) = delete;
    IPluginRegistry& operator=(IPluginRegistry const&) & = delete;
    IPluginRegistry& operator=(IPluginRegistry&&) & = delete;

    //! Sets the error recorder, counted; nullptr removes it. Default: none.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Whether look-ups go on in the parent: those of getCreator(), of getAllCreatorsRecursive(),
    //! and of engines that are loaded. Default: true. The registry of the process has no parent.
    virtual bool isParentSearchEnabled() const = 0;

    //! Switches the search in the parent.
    virtual void setParentSearchEnabled(bool enabled) = 0;

    //! Opens a library of plugins and registers its creators.
    //!
    //! \param pluginPath file name, as dlopen() takes it.
    //!
    //! The library's static registrations (REGISTER_TENSORRT_PLUGIN) go to the registry of the
    //! process. If it exports
    //! `extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)`, or
    //! `getPluginCreators(int32_t&)` with creators of type IPluginCreator, those are registered
    //! with this registry, each in its own namespace. If it exports
    //! `setLoggerFinder(ILoggerFinder*)`, that is called first.
    //!
    //! \return A handle for deregisterLibrary(); nullptr when the library can not be opened or has
    //!     no creators, with the reason of the loader in the log.
    virtual PluginLibraryHandle loadLibrary(AsciiChar const* pluginPath) noexcept = 0;

    //! Takes out the creators of a library, when it is given back as often as it was loaded, and
    //! closes it. While plugins of the library are in networks or engines, its code stays in the
    //! process, and goes with the last of them. Plugins that the program holds itself must be gone.
    //!
    //! \param handle from loadLibrary(); any other is reported and ignored.
    virtual void deregisterLibrary(PluginLibraryHandle handle) noexcept = 0;

    //! Registers a creator.
    //!
    //! \param creator stays the caller's and must live until it is deregistered.
    //! \param pluginNamespace where to find it, "" for the namespace that the creator itself names.
    //!     An IPluginCreator is told a namespace other than "" by setPluginNamespace().
    //!
    //! \return false, with a message, when the same name, version and namespace are taken already.
    virtual bool registerCreator(IPluginCreatorInterface& creator,
                                 AsciiChar const* pluginNamespace) noexcept = 0;

    //! All creators of this registry, without those of its parent.
    //!
    //! \param numCreators gets their number.
    //!
    //! \return Owned by the registry, valid until a creator is registered or deregistered; nullptr
    //!     when there are none.
    virtual IPluginCreatorInterface* const* getAllCreators(int32_t* numCreators) const noexcept = 0;

    //! Finds a creator.
    //!
    //! \param pluginName, pluginVersion, pluginNamespace must all be equal, byte for byte.
    //!
    //! \return The creator that was registered; nullptr when there is none, with the nearest names
    //!     in the log.
    virtual IPluginCreatorInterface* getCreator(AsciiChar const* pluginName,
                                                AsciiChar const* pluginVersion,
                                                AsciiChar const* pluginNamespace = "") noexcept = 0;

    //! Removes a creator. Plugins that it made are not touched, in whatever networks and engines
    //! they are, but plans that need it can no longer be loaded.
    //!
    //! \return false when this registry does not hold it.
    virtual bool deregisterCreator(IPluginCreatorInterface const& creator) noexcept = 0;

    //! Gets the resource that is shared under a key, and counts one more user of it.
    //!
    //! \param key any text but ""; prefix it with the plugin's name.
    //! \param resource if the key is new: what to clone and keep. Stays the caller's. nullptr asks
    //!     for a key that is known already.
    //!
    //! \return The object that the registry keeps; nullptr, with the reason in the log, when it
    //!     could not be cloned, or for an unknown key without a resource.
    //!
    //! Each registry has keys of its own. When two threads bring a new key at once, both objects
    //! may be cloned, and one clone is released again.
    virtual IPluginResource* acquirePluginResource(AsciiChar const* key,
                                                   IPluginResource* resource) noexcept = 0;

    //! Counts one user less. After the last one the resource is released and deleted.
    //!
    //! \return 0 for success; -1 for an unknown key; what IPluginResource::release() returned, for
    //!     the last user.
    virtual int32_t releasePluginResource(AsciiChar const* key) noexcept = 0;

    //! As getAllCreators(), with those of the parents while the parent search is on.
    virtual IPluginCreatorInterface* const* getAllCreatorsRecursive(
        int32_t* numCreators) noexcept = 0;

    //! As the other overload, for the older creators.
    TRT_DEPRECATED virtual bool registerCreator(IPluginCreator& creator,
                                                AsciiChar const* pluginNamespace) noexcept = 0;

    //! The creators of the older kind only. Otherwise as getAllCreators().
    TRT_DEPRECATED virtual IPluginCreator* const* getPluginCreatorList(
        int32_t* numCreators) const noexcept = 0;

    //! Finds a creator of the older kind only. Otherwise as getCreator().
    TRT_DEPRECATED virtual IPluginCreator* getPluginCreator(
        AsciiChar const* pluginName, AsciiChar const* pluginVersion,
        AsciiChar const* pluginNamespace = "") noexcept = 0;

    //! As the other overload, for the older creators.
    TRT_DEPRECATED virtual bool deregisterCreator(IPluginCreator const& creator) noexcept = 0;

protected:
    virtual ~IPluginRegistry() noexcept = default;
};

} // namespace nvinfer1

//! The registry of the process: one, however many libraries and language bindings ask for it.
//! Never nullptr; lives until the process ends, so that static objects may use it.
extern "C" TENSORRTAPI nvinfer1::IPluginRegistry* getPluginRegistry() noexcept;

#pragma GCC visibility pop
