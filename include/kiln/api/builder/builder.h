// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/allocators.h"
#include "kiln/api/builder/builder_config.h"
#include "kiln/api/engine.h"
#include "kiln/api/engine_enums.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/host_memory.h"
#include "kiln/api/logger.h"
#include "kiln/api/macros.h"
#include "kiln/api/network/network_definition.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/optimization_profile.h"
#include "kiln/api/plugin_registry.h"
#include "kiln/api/streams.h"
#include "kiln/api/version.h"

#include <cstdint>

#pragma GCC visibility push(default)

//! Entry point behind nvinfer1::createInferBuilder(). \param logger an nvinfer1::ILogger.
//! \param version NV_TENSORRT_VERSION of the caller; another major version is refused.
//! \return an nvinfer1::IBuilder; null on failure.
extern "C" TENSORRTAPI void* createInferBuilder_INTERNAL(void* logger, int32_t version) noexcept;

namespace nvinfer1 {

namespace safe {
class IPluginRegistry;
} // namespace safe

//! Makes networks and configurations, and builds engines from them.
//!
//! The caller owns a builder and all that its functions return, and deletes them: first networks,
//! configurations and what was built, then the builder. The logger must outlive the builder.
//!
//! Errors go to the logger and to the error recorder; functions then return null or false.
//! Threads: a builder may be used by one at a time.
class IBuilder : public INoCopy {
public:
    ~IBuilder() noexcept override = default;

    //! Makes an empty network. \param flags bits 1U << int(NetworkDefinitionCreationFlag).
    virtual INetworkDefinition* createNetworkV2(NetworkDefinitionCreationFlags flags) noexcept = 0;

    //! Makes a configuration with the defaults.
    virtual IBuilderConfig* createBuilderConfig() noexcept = 0;

    //! Makes an empty optimization profile. The builder owns it; do not delete it.
    virtual IOptimizationProfile* createOptimizationProfile() noexcept = 0;

    //! Builds an engine and returns its plan, for IRuntime::deserializeCudaEngine().
    virtual IHostMemory* buildSerializedNetwork(INetworkDefinition& network,
                                                IBuilderConfig& config) noexcept = 0;

    //! The same, and the source text of generated kernels.
    //! \param kernelText receives the text, which the caller deletes; null if there is none.
    virtual IHostMemory* buildSerializedNetwork(INetworkDefinition& network, IBuilderConfig& config,
                                                IHostMemory*& kernelText) noexcept = 0;

    //! Builds an engine and writes its plan to a stream, piece by piece.
    virtual bool buildSerializedNetworkToStream(INetworkDefinition& network, IBuilderConfig& config,
                                                IStreamWriter& writer) noexcept = 0;

    //! Builds an engine and opens it.
    virtual ICudaEngine* buildEngineWithConfig(INetworkDefinition& network,
                                               IBuilderConfig& config) noexcept = 0;

    //! True if the network can be built with the configuration; else the reasons are logged.
    virtual bool isNetworkSupported(INetworkDefinition const& network,
                                    IBuilderConfig const& config) const noexcept = 0;

    //! Restores the defaults of the builder; what it has made stays.
    virtual void reset() noexcept = 0;

    //! Sets where device memory comes from. The allocator stays the caller's and must outlive what
    //! is built. \param allocator null for the library's own (default).
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;

    //! Sets who is told of errors, beside the logger. The recorder stays the caller's; the builder
    //! counts a reference. Null takes it back (default).
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The recorder; null if there is none.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! The logger with which the builder was made.
    virtual ILogger* getLogger() const noexcept = 0;

    //! Sets how many threads a build may use, itself included. \param maxThreads 1 or more.
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;

    //! How many threads a build may use.
    virtual int32_t getMaxThreads() const noexcept = 0;

    //! The registry in which the builder looks for plugins. Libraries loaded there are known to
    //! this builder alone; what is not found there is looked for in the global registry.
    virtual IPluginRegistry& getPluginRegistry() noexcept = 0;

    //! The largest batch that DLA takes.
    virtual int32_t getMaxDLABatchSize() const noexcept = 0;

    //! Number of DLA cores.
    virtual int32_t getNbDLACores() const noexcept = 0;

    //! True if the device computes faster in half than in float.
    TRT_DEPRECATED virtual bool platformHasFastFp16() const noexcept = 0;

    //! True if the device computes faster in 8-bit integers than in float.
    TRT_DEPRECATED virtual bool platformHasFastInt8() const noexcept = 0;

    //! True if the device has TensorFloat-32.
    TRT_DEPRECATED virtual bool platformHasTf32() const noexcept = 0;
};

//! Makes a builder.
//! \param logger stays the caller's; it must outlive the builder.
//! \return a builder that the caller deletes; null, with a logged error, on failure.
inline IBuilder* createInferBuilder(ILogger& logger) noexcept {
    return static_cast<IBuilder*>(createInferBuilder_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

//! The global plugin registry of builders for a capability; null if there is none. For kSTANDARD it
//! is the one of getPluginRegistry().
extern "C" TENSORRTAPI IPluginRegistry* getBuilderPluginRegistry(
    EngineCapability capability) noexcept;

//! The plugin registry of safety builders; null if there is none.
extern "C" TENSORRTAPI TRT_DEPRECATED safe::IPluginRegistry* getBuilderSafePluginRegistry(
    EngineCapability capability) noexcept;

//! Sets the folder in which the builder's own libraries are looked for. \param path copied.
//! \return false, with a logged error, if the path is null or too long.
extern "C" TENSORRTAPI bool setInternalLibraryPath(AsciiChar const* path) noexcept;

} // namespace nvinfer1

#pragma GCC visibility pop
