// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_RUNTIME_H
#define KILN_API_RUNTIME_H

#include "kiln/api/allocators.h"
#include "kiln/api/engine.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/logger.h"
#include "kiln/api/plugin_registry.h"
#include "kiln/api/runtime_enums.h"
#include "kiln/api/streams.h"
#include "kiln/api/version.h"

extern "C" TENSORRTAPI void* createInferRuntime_INTERNAL(void* logger, int32_t version) noexcept;

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IRuntime : public INoCopy
{
public:
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;
    virtual int32_t getDLACore() const noexcept = 0;
    virtual int32_t getNbDLACores() const noexcept = 0;
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    virtual ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept = 0;
    virtual ICudaEngine* deserializeCudaEngine(IStreamReaderV2& streamReader) = 0;
    virtual ILogger* getLogger() const noexcept = 0;
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;
    virtual int32_t getMaxThreads() const noexcept = 0;
    virtual void setTemporaryDirectory(char const* path) noexcept = 0;
    virtual char const* getTemporaryDirectory() const noexcept = 0;
    virtual void setTempfileControlFlags(TempfileControlFlags flags) noexcept = 0;
    virtual TempfileControlFlags getTempfileControlFlags() const noexcept = 0;
    virtual IPluginRegistry& getPluginRegistry() noexcept = 0;
    virtual IRuntime* loadRuntime(char const* path) noexcept = 0;
    virtual void setEngineHostCodeAllowed(bool allowed) noexcept = 0;
    virtual bool getEngineHostCodeAllowed() const noexcept = 0;
    ~IRuntime() noexcept override = default;
    TRT_DEPRECATED virtual ICudaEngine* deserializeCudaEngine(IStreamReader& streamReader) = 0;
};

inline IRuntime* createInferRuntime(ILogger& logger) noexcept
{
    return static_cast<IRuntime*>(createInferRuntime_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_RUNTIME_H
