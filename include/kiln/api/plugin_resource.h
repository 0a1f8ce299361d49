// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What plugins share with each other, and what they get from an execution context.
#pragma once

#include "kiln/api/allocators.h"
#include "kiln/api/error_recorder.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Something that several plugin objects use together, such as a table in device memory; kept by
//! the registry under a key and counted. Implemented by the user. See
//! IPluginRegistry::acquirePluginResource().
class IPluginResource : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IPluginResource", 1, 0};
    }

    //! Lets go of what the object holds. Called once, on the object that the registry keeps, when
    //! nobody uses it any more; the registry deletes it afterwards.
    //!
    //! \return 0 for success.
    virtual int32_t release() noexcept = 0;

    //! The object that the registry shall keep: a new one, with the resource ready to use. Called
    //! when a key is new, on the object that its first user passed. It may acquire other resources.
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

//! What an execution context offers to its plugins, see IPluginV3OneRuntime::attachToContext().
//! Implemented by Kiln for one plugin. When that plugin is gone, all answers are nullptr.
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
