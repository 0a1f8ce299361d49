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
//! \param version NV_TENSORRT_VERSION of the caller; a different major version fails.
//! \return an nvinfer1::IBuilder; null on failure.
extern "C" TENSORRTAPI void* createInferBuilder_INTERNAL(void* logger, int32_t version) noexcept;

namespace nvinfer1 {

namespace safe {
class IPluginRegistry;
} // namespace safe

//! Creates networks and configurations, and builds engines from them.
//!
//! The caller owns the builder and the objects that its functions return, and deletes the builder
//! last. The logger must outlive the builder.
//!
//! Errors go to the logger and to the error recorder; functions then return null or false. Not
//! thread-safe.
class IBuilder : public INoCopy {
public:
    ~IBuilder() noexcept override = default;

    //! Creates an empty network. \param flags bits 1U << int(NetworkDefinitionCreationFlag).
    virtual INetworkDefinition* createNetworkV2(NetworkDefinitionCreationFlags flags) noexcept = 0;

    //! Creates a configuration with default settings.
    virtual IBuilderConfig* createBuilderConfig() noexcept = 0;

    //! Creates an empty optimization profile. The builder owns it; do not delete it.
    virtual IOptimizationProfile* createOptimizationProfile() noexcept = 0;

    //! Builds an engine and returns its plan, for IRuntime::deserializeCudaEngine().
    virtual IHostMemory* buildSerializedNetwork(INetworkDefinition& network,
                                                IBuilderConfig& config) noexcept = 0;

    //! As the other overload.
    //! \param kernelText set to null: only engines for the safety runtime have kernel text.
    virtual IHostMemory* buildSerializedNetwork(INetworkDefinition& network, IBuilderConfig& config,
                                                IHostMemory*& kernelText) noexcept = 0;

    //! Builds an engine and passes its plan to a writer, in one call.
    virtual bool buildSerializedNetworkToStream(INetworkDefinition& network, IBuilderConfig& config,
                                                IStreamWriter& writer) noexcept = 0;

    //! Builds an engine and loads it.
    virtual ICudaEngine* buildEngineWithConfig(INetworkDefinition& network,
                                               IBuilderConfig& config) noexcept = 0;

    //! True if the network can be built with the configuration; otherwise logs the reasons. Runs
    //! the complete build.
    virtual bool isNetworkSupported(INetworkDefinition const& network,
                                    IBuilderConfig const& config) const noexcept = 0;

    //! Restores the default number of threads. Objects created by the builder stay valid.
    virtual void reset() noexcept = 0;

    //! Sets the allocator for device memory. The caller keeps ownership; it must outlive the
    //! engines that are built. \param allocator null for the library's own (default).
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;

    //! Sets the error recorder, which receives errors in addition to the logger. The builder adds a
    //! reference; the caller keeps ownership. Null removes it (default).
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The recorder; null if there is none.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! The logger that the builder was created with.
    virtual ILogger* getLogger() const noexcept = 0;

    //! Sets the maximum number of threads of a build. Kiln stores the value without using it; see
    //! kiln::setNumThreads(). \param maxThreads 1 or more. \return false for a smaller number.
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;

    //! The maximum number of threads. Default: 1.
    virtual int32_t getMaxThreads() const noexcept = 0;

    //! The builder's own plugin registry, whose parent is the global registry. Libraries loaded
    //! there are visible to this builder only.
    virtual IPluginRegistry& getPluginRegistry() noexcept = 0;

    //! The maximum batch size of DLA. Always 0.
    virtual int32_t getMaxDLABatchSize() const noexcept = 0;

    //! Number of DLA cores. Always 0.
    virtual int32_t getNbDLACores() const noexcept = 0;

    //! True if half precision is faster than float: true on cuda, false on cpu.
    TRT_DEPRECATED virtual bool platformHasFastFp16() const noexcept = 0;

    //! True if 8-bit integers are faster than float: true on cuda. False on cpu, where it depends
    //! on the shapes.
    TRT_DEPRECATED virtual bool platformHasFastInt8() const noexcept = 0;

    //! True if the device supports TensorFloat-32: on cuda, from compute capability 8.0 on.
    TRT_DEPRECATED virtual bool platformHasTf32() const noexcept = 0;
};

//! Creates a builder.
//! \param logger stays the caller's; it must outlive the builder.
//! \return a builder that the caller deletes; null, with a logged error, on failure.
inline IBuilder* createInferBuilder(ILogger& logger) noexcept {
    return static_cast<IBuilder*>(createInferBuilder_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

//! The global plugin registry of builders. For every capability, the same as getPluginRegistry().
extern "C" TENSORRTAPI IPluginRegistry* getBuilderPluginRegistry(
    EngineCapability capability) noexcept;

//! The plugin registry of safety builders. Always null.
extern "C" TENSORRTAPI TRT_DEPRECATED safe::IPluginRegistry* getBuilderSafePluginRegistry(
    EngineCapability capability) noexcept;

//! Sets the search folder for internal libraries of the builder. Kiln has none.
//! \return false.
extern "C" TENSORRTAPI bool setInternalLibraryPath(AsciiChar const* path) noexcept;

} // namespace nvinfer1

#pragma GCC visibility pop
