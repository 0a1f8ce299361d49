// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IRuntime: loads engines from plans.
#pragma once

#include "kiln/api/allocators.h"
#include "kiln/api/engine.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/logger.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/plugin_registry.h"
#include "kiln/api/runtime_enums.h"
#include "kiln/api/streams.h"
#include "kiln/api/version.h"

#include <cstddef>

#pragma GCC visibility push(default)

//! Entry point behind createInferRuntime(): logger is an nvinfer1::ILogger*, version
//! NV_TENSORRT_VERSION, the result an nvinfer1::IRuntime*. nullptr if the major version of the
//! program's headers differs.
extern "C" TENSORRTAPI void* createInferRuntime_INTERNAL(void* logger, int32_t version) noexcept;

namespace nvinfer1 {

//! Loads engines. Implemented by Kiln. Created by createInferRuntime(), deleted by the user after
//! the engines that it loaded.
//!
//! Several threads may load engines concurrently. Call the set functions from one thread, before
//! that.
class IRuntime : public INoCopy {
public:
    //! Sets the DLA core. Kiln stores the value without using it. Default: -1.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;

    //! The DLA core.
    virtual int32_t getDLACore() const noexcept = 0;

    //! The number of DLA cores. Always 0.
    virtual int32_t getNbDLACores() const noexcept = 0;

    //! Sets the allocator for device memory of engines loaded later and their contexts. It must
    //! outlive them. nullptr, the default: the target's own.
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;

    //! Sets the error recorder and adds a reference to it; nullptr, the default, removes it.
    //! Engines loaded later use it by default.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Loads an engine from a plan in memory.
    //!
    //! \param blob `size` bytes of host memory, used during the call only.
    //!
    //! The plan may be untrusted: it is validated first, and a damaged plan fails to load. Host
    //! code in the plan runs only if setEngineHostCodeAllowed() or kiln::setPythonSourceAllowed()
    //! permits it. The plugins that it needs must be registered.
    //!
    //! \return The engine, which the caller deletes. nullptr, with the reason in the log and the
    //!     error recorder, if the bytes are not an intact plan, the plan was written by another
    //!     version, this machine lacks its target or instruction set, or a plugin is not
    //!     registered.
    //!
    //! To load a file without copying its weights, see kiln::openEngine() in kiln/kiln.h.
    virtual ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept = 0;

    //! Loads an engine from a reader, like the other overload; an error of the reader fails the
    //! call. The reader is used during the call only.
    virtual ICudaEngine* deserializeCudaEngine(IStreamReaderV2& streamReader) = 0;

    //! The logger that the runtime was created with.
    virtual ILogger* getLogger() const noexcept = 0;

    //! Sets the maximum number of threads for loading engines. Kiln stores the value without using
    //! it.
    //!
    //! \param maxThreads at least 1. Default: 1.
    //!
    //! \return false, and nothing changes, for a smaller number.
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;

    //! The maximum number of threads.
    virtual int32_t getMaxThreads() const noexcept = 0;

    //! Sets the directory for temporary files, if any are needed and allowed.
    //!
    //! \param path an existing directory; copied. nullptr restores the default: $TMPDIR, else /tmp.
    virtual void setTemporaryDirectory(char const* path) noexcept = 0;

    //! The directory for temporary files. Owned by the runtime, valid until it is set again.
    virtual char const* getTemporaryDirectory() const noexcept = 0;

    //! Sets how the runtime may pass code from a plan to the dynamic loader. Loading fails if none
    //! of the allowed ways works.
    virtual void setTempfileControlFlags(TempfileControlFlags flags) noexcept = 0;

    //! The allowed ways. Default: all.
    virtual TempfileControlFlags getTempfileControlFlags() const noexcept = 0;

    //! The runtime's own registry, whose parent is getPluginRegistry(). Owned by the runtime.
    virtual IPluginRegistry& getPluginRegistry() noexcept = 0;

    //! Loads another runtime from a library. Plans need none: returns nullptr, with a message.
    virtual IRuntime* loadRuntime(char const* path) noexcept = 0;

    //! Allows engines to run host code in their plan, such as the plugin libraries of
    //! IBuilderConfig::setPluginsToSerialize(). Allow it only for plans from a trusted source.
    virtual void setEngineHostCodeAllowed(bool allowed) noexcept = 0;

    //! Whether host code in plans is allowed. Default: false; plans with such code fail to load.
    virtual bool getEngineHostCodeAllowed() const noexcept = 0;

    ~IRuntime() noexcept override = default;

    //! Loads an engine from an IStreamReader.
    TRT_DEPRECATED virtual ICudaEngine* deserializeCudaEngine(IStreamReader& streamReader) = 0;
};

//! Creates a runtime.
//!
//! \param logger receives the messages of the runtime and the objects it creates; must outlive
//!     them.
//!
//! \return The runtime, which the caller deletes; nullptr when memory is exhausted or the major
//!     versions of library and headers differ.
inline IRuntime* createInferRuntime(ILogger& logger) noexcept {
    return static_cast<IRuntime*>(createInferRuntime_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#pragma GCC visibility pop
