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

//! What createInferRuntime() calls: logger is an nvinfer1::ILogger*, version NV_TENSORRT_VERSION,
//! and the result an nvinfer1::IRuntime*. nullptr when the program's headers are of another major
//! version.
extern "C" TENSORRTAPI void* createInferRuntime_INTERNAL(void* logger, int32_t version) noexcept;

namespace nvinfer1 {

//! Loads engines. Implemented by Kiln. Made by createInferRuntime(), deleted by the user after the
//! engines that it loaded.
//!
//! Several threads may load engines at the same time; the set functions are for one thread, before.
class IRuntime : public INoCopy {
public:
    //! Chooses a DLA core. Kept and given back; no plan of Kiln uses one. Default: -1.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;

    //! The DLA core that was chosen.
    virtual int32_t getDLACore() const noexcept = 0;

    //! The number of DLA cores; 0.
    virtual int32_t getNbDLACores() const noexcept = 0;

    //! Sets the allocator that engines loaded from now on, and their contexts, get memory of the
    //! target from. It must outlive them. nullptr, the default: the target's own.
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;

    //! Sets the error recorder, counted; nullptr, the default, removes it. Engines that are loaded
    //! from now on start with it.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Loads an engine from a plan in memory.
    //!
    //! \param blob size bytes of host memory. Not needed after the call.
    //!
    //! The plan may come from anywhere: it is checked first, never runs code while it is loaded,
    //! and a damaged one fails. The plugins that it needs must be registered.
    //!
    //! \return The engine, which the caller deletes. nullptr, with the reason in the log and the
    //!     error recorder, for bytes that are not an intact plan, a plan of another version, a
    //!     target or instruction set that this machine lacks, or a plugin that is not registered.
    //!
    //! To load a file without copying its weights, see kiln::openEngine() in kiln/kiln.h.
    virtual ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept = 0;

    //! Loads an engine from a reader. As the other overload; an error of the reader fails the call
    //! too. The reader is not used any more when the call returns.
    virtual ICudaEngine* deserializeCudaEngine(IStreamReaderV2& streamReader) = 0;

    //! The logger that the runtime was made with.
    virtual ILogger* getLogger() const noexcept = 0;

    //! Sets how many threads the runtime may use to load engines.
    //!
    //! \param maxThreads at least 1. Default: 1.
    //!
    //! \return false, and nothing changes, for a smaller number.
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;

    //! How many threads the runtime may use.
    virtual int32_t getMaxThreads() const noexcept = 0;

    //! Sets where temporary files go, if any are needed and allowed.
    //!
    //! \param path an existing directory; copied. nullptr brings the default back: $TMPDIR, else
    //!     /tmp.
    virtual void setTemporaryDirectory(char const* path) noexcept = 0;

    //! The directory for temporary files, without a slash at the end. Owned by the runtime, valid
    //! until it is set again.
    virtual char const* getTemporaryDirectory() const noexcept = 0;

    //! Sets in which ways code from a plan may be handed to the system's loader. A loading that has
    //! no allowed way left fails.
    virtual void setTempfileControlFlags(TempfileControlFlags flags) noexcept = 0;

    //! The ways that are allowed. Default: all.
    virtual TempfileControlFlags getTempfileControlFlags() const noexcept = 0;

    //! The runtime's own registry, whose parent is getPluginRegistry(). Owned by the runtime.
    virtual IPluginRegistry& getPluginRegistry() noexcept = 0;

    //! Loads another runtime from a library. Kiln has a single one, which also loads
    //! version-compatible plans: reports that, and returns nullptr.
    virtual IRuntime* loadRuntime(char const* path) noexcept = 0;

    //! Allows that engines run host code that is part of their plan, such as the plugin libraries
    //! of IBuilderConfig::setPluginsToSerialize(). Allow it for plans from a source you trust only.
    virtual void setEngineHostCodeAllowed(bool allowed) noexcept = 0;

    //! Whether host code in plans is allowed. Default: false; a plan with such code is refused.
    virtual bool getEngineHostCodeAllowed() const noexcept = 0;

    ~IRuntime() noexcept override = default;

    //! Loads an engine from a reader of the older kind.
    TRT_DEPRECATED virtual ICudaEngine* deserializeCudaEngine(IStreamReader& streamReader) = 0;
};

//! Makes a runtime.
//!
//! \param logger gets the messages of the runtime and of everything made by it; must outlive them.
//!
//! \return The runtime, which the caller deletes; nullptr when memory is short or the library is of
//!     another major version than the headers.
inline IRuntime* createInferRuntime(ILogger& logger) noexcept {
    return static_cast<IRuntime*>(createInferRuntime_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#pragma GCC visibility pop
