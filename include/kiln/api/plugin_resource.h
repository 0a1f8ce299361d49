// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Resources shared between plugins, and resources of an execution context for its plugins.
#pragma once

#include "kiln/api/allocators.h"
#include "kiln/api/error_recorder.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! An object that several plugins share, such as a table in device memory. The registry owns it
//! under a key and counts references. Implemented by the user. See
//! IPluginRegistry::acquirePluginResource().
class IPluginResource : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IPluginResource", 1, 0};
    }

    //! Releases the resource. The registry calls it once on its object, when the last reference is
    //! removed, and then deletes the object.
    //!
    //! \return 0 for success.
    virtual int32_t release() noexcept = 0;

    //! Returns a new object with the resource ready to use, for the registry to own. Called for a
    //! new key, on the object that its first user passed. It may acquire other resources.
    //!
    //! \return nullptr for failure.
    virtual IPluginResource* clone() noexcept = 0;

    ~IPluginResource() noexcept override = default;
    constexpr IPluginResource() = default;
    constexpr IPluginResource(IPluginResource const&) = default;
    constexpr IPluginResource(IPluginResource&&) = default;
    IPluginResource& operator=(IPluginResource const&) & = default;
    IPluginResource& operator=(IPluginResource&&) & = default;
};

} // namespace v_1_0

using IPluginResource = v_1_0::IPluginResource;

//! The resources of an execution context for a plugin, see IPluginV3OneRuntime::attachToContext().
//! Implemented by Kiln; each plugin has its own object. After the plugin is destroyed, all getters
//! return nullptr.
class IPluginResourceContext {
public:
    //! The allocator of the context, for memory of the target. Never nullptr.
    virtual IGpuAllocator* getGpuAllocator() const noexcept = 0;

    //! The error recorder of the context; nullptr when there is none.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    virtual ~IPluginResourceContext() noexcept = default;

protected:
    constexpr IPluginResourceContext() = default;
    constexpr IPluginResourceContext(IPluginResourceContext const&) = default;
    constexpr IPluginResourceContext(IPluginResourceContext&&) = default;
    IPluginResourceContext& operator=(IPluginResourceContext const&) & = default;
    IPluginResourceContext& operator=(IPluginResourceContext&&) & = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
