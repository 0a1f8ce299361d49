// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_REFITTER_H
#define KILN_API_REFITTER_H

#include "kiln/api/engine.h"
#include "kiln/api/logger.h"
#include "kiln/api/tensor_enums.h"
#include "kiln/api/version.h"
#include "kiln/api/weights.h"

extern "C" TENSORRTAPI void* createInferRefitter_INTERNAL(
    void* engine, void* logger, int32_t version) noexcept;

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IRefitter : public INoCopy
{
public:
    virtual bool setWeights(char const* layerName, WeightsRole role, Weights weights) noexcept = 0;
    virtual bool refitCudaEngine() noexcept = 0;
    virtual int32_t getMissing(int32_t size, char const** layerNames,
        WeightsRole* roles) noexcept = 0;
    virtual int32_t getAll(int32_t size, char const** layerNames, WeightsRole* roles) noexcept = 0;
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    virtual bool setNamedWeights(char const* name, Weights weights) noexcept = 0;
    virtual int32_t getMissingWeights(int32_t size, char const** weightsNames) noexcept = 0;
    virtual int32_t getAllWeights(int32_t size, char const** weightsNames) noexcept = 0;
    virtual ILogger* getLogger() const noexcept = 0;
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;
    virtual int32_t getMaxThreads() const noexcept = 0;
    virtual bool setNamedWeights(char const* name, Weights weights,
        TensorLocation location) noexcept = 0;
    virtual Weights getNamedWeights(char const* weightsName) const noexcept = 0;
    virtual TensorLocation getWeightsLocation(char const* weightsName) const noexcept = 0;
    virtual bool unsetNamedWeights(char const* weightsName) noexcept = 0;
    virtual void setWeightsValidation(bool weightsValidation) noexcept = 0;
    virtual bool getWeightsValidation() const noexcept = 0;
    virtual bool refitCudaEngineAsync(cudaStream_t stream) noexcept = 0;
    virtual Weights getWeightsPrototype(char const* weightsName) const noexcept = 0;
    ~IRefitter() noexcept override = default;
    TRT_DEPRECATED virtual bool setDynamicRange(char const* tensorName, float min,
        float max) noexcept = 0;
    TRT_DEPRECATED virtual float getDynamicRangeMin(char const* tensorName) const noexcept = 0;
    TRT_DEPRECATED virtual float getDynamicRangeMax(char const* tensorName) const noexcept = 0;
    TRT_DEPRECATED virtual int32_t getTensorsWithDynamicRange(int32_t size,
        char const** tensorNames) const noexcept = 0;
};

inline IRefitter* createInferRefitter(ICudaEngine& engine, ILogger& logger) noexcept
{
    return static_cast<IRefitter*>(
        createInferRefitter_INTERNAL(&engine, &logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_REFITTER_H
