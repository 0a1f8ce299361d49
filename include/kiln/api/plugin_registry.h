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

//! The plugin creators of the process, or of one runtime or builder. Implemented by Kiln.
//!
//! getPluginRegistry() returns the registry of the process. Each builder and each runtime has its
//! own registry, with that one as parent. Creators registered there are visible only there. Lookups
//! continue in the parent unless the parent search is disabled.
//!
//! The registry does not own creators: each must stay valid until it is deregistered or the process
//! ends. All methods are thread-safe.
class IPluginRegistry {
public:
    //! Handle of a library that loadLibrary() opened.
    using PluginLibraryHandle = void*;

    constexpr IPluginRegistry() = default;
    IPluginRegistry(IPluginRegistry const&) = delete;
    IPluginRegistry(IPluginRegistry&&) = delete;
    IPluginRegistry& operator=(IPluginRegistry const&) & = delete;
    IPluginRegistry& operator=(IPluginRegistry&&) & = delete;

    //! Sets the error recorder and adds a reference to it; nullptr removes it. Default: none.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Whether lookups continue in the parent: those of getCreator(), getAllCreatorsRecursive() and
    //! engine loading. Default: true. The registry of the process has no parent.
    virtual bool isParentSearchEnabled() const = 0;

    //! Enables or disables the parent search.
    virtual void setParentSearchEnabled(bool enabled) = 0;

    //! Opens a plugin library and registers its creators.
    //!
    //! \param pluginPath file name, as for dlopen().
    //!
    //! The library's static registrations (REGISTER_TENSORRT_PLUGIN) go to the registry of the
    //! process. If it exports
    //! `extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)`, or
    //! `getPluginCreators(int32_t&)` with creators of type IPluginCreator, those are registered
    //! with this registry, each in its own namespace. If it exports
    //! `setLoggerFinder(ILoggerFinder*)`, this function is called first.
    //!
    //! \return A handle for deregisterLibrary(); nullptr, with the reason in the log, when the
    //!     library cannot be opened or has no creators.
    virtual PluginLibraryHandle loadLibrary(AsciiChar const* pluginPath) noexcept = 0;

    //! Removes the creators of a library and closes it, once this was called as often as
    //! loadLibrary(). While networks or engines use plugins of the library, its code stays loaded.
    //! The program must destroy its own plugins of the library before this call.
    //!
    //! \param handle from loadLibrary(); any other value is reported and ignored.
    virtual void deregisterLibrary(PluginLibraryHandle handle) noexcept = 0;

    //! Registers a creator.
    //!
    //! \param creator owned by the caller; must stay valid until it is deregistered.
    //! \param pluginNamespace the namespace to register it in, "" for the creator's own namespace.
    //!     If it is not "", setPluginNamespace() is called on an IPluginCreator.
    //!
    //! \return false, with a message, when the name, version and namespace are already registered.
    virtual bool registerCreator(IPluginCreatorInterface& creator,
                                 AsciiChar const* pluginNamespace) noexcept = 0;

    //! All creators of this registry, without those of its parent.
    //!
    //! \param numCreators receives the number of creators.
    //!
    //! \return Owned by the registry, valid until a creator is registered or deregistered; nullptr
    //!     when there are none.
    virtual IPluginCreatorInterface* const* getAllCreators(int32_t* numCreators) const noexcept = 0;

    //! Finds a creator.
    //!
    //! \param pluginName, pluginVersion, pluginNamespace compared byte for byte.
    //!
    //! \return The registered creator; nullptr when there is none, with similar names in the log.
    virtual IPluginCreatorInterface* getCreator(AsciiChar const* pluginName,
                                                AsciiChar const* pluginVersion,
                                                AsciiChar const* pluginNamespace = "") noexcept = 0;

    //! Removes a creator. Existing plugins, networks and engines are not affected, but plans that
    //! need the creator cannot be loaded afterwards.
    //!
    //! \return false when the creator is not registered here.
    virtual bool deregisterCreator(IPluginCreatorInterface const& creator) noexcept = 0;

    //! Returns the resource shared under a key, and adds a reference.
    //!
    //! \param key any string except ""; prefix it with the plugin's name.
    //! \param resource the object to clone if the key is new; owned by the caller. May be nullptr
    //!     if the key exists.
    //!
    //! \return The registry's object; nullptr, with the reason in the log, when cloning failed, or
    //!     for a new key without a resource.
    //!
    //! Each registry has its own keys. If two threads add the same key concurrently, both objects
    //! may be cloned; one clone is then released.
    virtual IPluginResource* acquirePluginResource(AsciiChar const* key,
                                                   IPluginResource* resource) noexcept = 0;

    //! Removes a reference. With the last one, the resource is released and deleted.
    //!
    //! \return 0 for success; -1 for an unknown key; for the last reference, the result of
    //!     IPluginResource::release().
    virtual int32_t releasePluginResource(AsciiChar const* key) noexcept = 0;

    //! As getAllCreators(), including the creators of the parent while the parent search is
    //! enabled.
    virtual IPluginCreatorInterface* const* getAllCreatorsRecursive(
        int32_t* numCreators) noexcept = 0;

    //! As the other overload, for an IPluginCreator.
    TRT_DEPRECATED virtual bool registerCreator(IPluginCreator& creator,
                                                AsciiChar const* pluginNamespace) noexcept = 0;

    //! As getAllCreators(), but only those of type IPluginCreator.
    TRT_DEPRECATED virtual IPluginCreator* const* getPluginCreatorList(
        int32_t* numCreators) const noexcept = 0;

    //! As getCreator(), but only finds an IPluginCreator.
    TRT_DEPRECATED virtual IPluginCreator* getPluginCreator(
        AsciiChar const* pluginName, AsciiChar const* pluginVersion,
        AsciiChar const* pluginNamespace = "") noexcept = 0;

    //! As the other overload, for an IPluginCreator.
    TRT_DEPRECATED virtual bool deregisterCreator(IPluginCreator const& creator) noexcept = 0;

protected:
    virtual ~IPluginRegistry() noexcept = default;
};

} // namespace nvinfer1

//! The registry of the process, shared by all libraries and language bindings. Never nullptr;
//! exists until the process ends, so that static objects may use it.
extern "C" TENSORRTAPI nvinfer1::IPluginRegistry* getPluginRegistry() noexcept;

#pragma GCC visibility pop
