// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <NvInferRuntime.h>

#include "api/global_logger.h"
#include "api/plugin_registry.h"
#include "api/reporter.h"
#include "runtime/engine.h"

namespace kiln::api {

/// Opens a plan; throws Error. A null `allocator` means the target's own memory.
nvinfer1::ICudaEngine* makeEngine(std::shared_ptr<runtime::PlanBytes const> bytes, Log log,
                                  nvinfer1::IGpuAllocator* allocator,
                                  nvinfer1::IErrorRecorder* recorder,
                                  runtime::Engine::Creators const& creators,
                                  runtime::HostCode const& hostCode,
                                  target::DeviceChoice const& devices);

/// An allocator over a device's memory, for plugins that request one from their context. Null:
/// there is no device, and no memory.
nvinfer1::IGpuAllocator* deviceAllocator(target::Device* device);

/// Throws kInvalidArgument for a null logger, and kUnsupported for a caller that was compiled
/// against headers of another major version.
void checkCaller(char const* what, void* logger, int32_t version);

/// IRuntime.
class Runtime final : public nvinfer1::IRuntime {
public:
    explicit Runtime(nvinfer1::ILogger& logger);

    Reporter const& reporter() const noexcept { return reporter_; }
    nvinfer1::ICudaEngine* open(std::shared_ptr<runtime::PlanBytes const> bytes);

    void setDLACore(int32_t dlaCore) noexcept override { dlaCore_ = dlaCore; }
    int32_t getDLACore() const noexcept override { return dlaCore_; }
    int32_t getNbDLACores() const noexcept override { return 0; }
    void setGpuAllocator(nvinfer1::IGpuAllocator* allocator) noexcept override;
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    nvinfer1::ICudaEngine* deserializeCudaEngine(void const* blob,
                                                 std::size_t size) noexcept override;
    nvinfer1::ICudaEngine* deserializeCudaEngine(nvinfer1::IStreamReaderV2& streamReader) override;
    nvinfer1::ICudaEngine* deserializeCudaEngine(nvinfer1::IStreamReader& streamReader) override;
    nvinfer1::ILogger* getLogger() const noexcept override { return reporter_.log().logger(); }
    bool setMaxThreads(int32_t maxThreads) noexcept override;
    int32_t getMaxThreads() const noexcept override { return maxThreads_; }
    void setTemporaryDirectory(char const* path) noexcept override;
    char const* getTemporaryDirectory() const noexcept override;
    void setTempfileControlFlags(nvinfer1::TempfileControlFlags flags) noexcept override;
    nvinfer1::TempfileControlFlags getTempfileControlFlags() const noexcept override;
    nvinfer1::IPluginRegistry& getPluginRegistry() noexcept override;
    nvinfer1::IRuntime* loadRuntime(char const* path) noexcept override;
    void setEngineHostCodeAllowed(bool allowed) noexcept override { hostCodeAllowed_ = allowed; }
    bool getEngineHostCodeAllowed() const noexcept override { return hostCodeAllowed_; }
    void allowPythonSource(bool allowed) noexcept { pythonSourceAllowed_ = allowed; }
    bool pythonSourceAllowed() const noexcept { return pythonSourceAllowed_; }

private:
    template <typename Read>
    nvinfer1::ICudaEngine* readAll(Read&& read) noexcept;

    Reporter reporter_;
    LoggerLease lease_;
    PluginRegistry registry_;
    target::DeviceChoice devices_;
    nvinfer1::IGpuAllocator* allocator_ = nullptr;
    std::string temporaryDirectory_;
    nvinfer1::TempfileControlFlags tempfileFlags_;
    int32_t maxThreads_ = 1;
    int32_t dlaCore_ = -1;
    bool hostCodeAllowed_ = false;
    bool pythonSourceAllowed_;
};

} // namespace kiln::api
