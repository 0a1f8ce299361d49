// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <NvInferRuntime.h>

#include "api/engine.h"
#include "api/refit_names.h"
#include "api/reporter.h"

namespace kiln::api {

/// IRefitter over Engine::refit(). Weights that were set are the caller's memory until the refit.
class Refitter final : public nvinfer1::IRefitter {
public:
    Refitter(Engine& engine, nvinfer1::ILogger& logger);

    /// Whether the engine has weights of this layer and role.
    bool knows(char const* layerName, nvinfer1::WeightsRole role) const noexcept;

    bool setWeights(char const* layerName, nvinfer1::WeightsRole role,
                    nvinfer1::Weights weights) noexcept override;
    bool refitCudaEngine() noexcept override;
    int32_t getMissing(int32_t size, char const** layerNames,
                       nvinfer1::WeightsRole* roles) noexcept override;
    int32_t getAll(int32_t size, char const** layerNames,
                   nvinfer1::WeightsRole* roles) noexcept override;
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    bool setNamedWeights(char const* name, nvinfer1::Weights weights) noexcept override;
    int32_t getMissingWeights(int32_t size, char const** weightsNames) noexcept override;
    int32_t getAllWeights(int32_t size, char const** weightsNames) noexcept override;
    nvinfer1::ILogger* getLogger() const noexcept override { return reporter_.log().logger(); }
    bool setMaxThreads(int32_t maxThreads) noexcept override;
    int32_t getMaxThreads() const noexcept override { return maxThreads_; }
    bool setNamedWeights(char const* name, nvinfer1::Weights weights,
                         nvinfer1::TensorLocation location) noexcept override;
    nvinfer1::Weights getNamedWeights(char const* weightsName) const noexcept override;
    nvinfer1::TensorLocation getWeightsLocation(char const* weightsName) const noexcept override;
    bool unsetNamedWeights(char const* weightsName) noexcept override;
    void setWeightsValidation(bool weightsValidation) noexcept override {
        validates_ = weightsValidation;
    }
    bool getWeightsValidation() const noexcept override { return validates_; }
    bool refitCudaEngineAsync(cudaStream_t stream) noexcept override;
    nvinfer1::Weights getWeightsPrototype(char const* weightsName) const noexcept override;
    bool setDynamicRange(char const* tensorName, float min, float max) noexcept override;
    float getDynamicRangeMin(char const* tensorName) const noexcept override;
    float getDynamicRangeMax(char const* tensorName) const noexcept override;
    int32_t getTensorsWithDynamicRange(int32_t size,
                                       char const** tensorNames) const noexcept override;

private:
    struct Setting {
        nvinfer1::Weights weights;
        nvinfer1::TensorLocation location;
    };
    using Entries = std::vector<RefitNames::Entry const*>;

    void set(Entries const& entries, std::string_view shown, nvinfer1::Weights weights,
             nvinfer1::TensorLocation location);
    Entries missing() const;
    Entries all() const;
    Entries named(char const* name) const;
    Setting const* settingOf(char const* name) const noexcept;
    int32_t list(Entries const& entries, int32_t size, char const** layers,
                 nvinfer1::WeightsRole* roles, char const** names) const;
    bool refit(cudaStream_t stream) noexcept;

    struct NewRange {
        DynamicRanges::Range range;
        float scale = 0.0F;
    };
    DynamicRanges::Range const* rangeOf(char const* tensorName) const noexcept;

    Engine& engine_;
    Reporter reporter_;
    std::map<RefitNames::Entry const*, Setting> settings_;
    std::map<std::string, NewRange, std::less<>> ranges_; ///< by tensor
    int32_t maxThreads_ = 1;
    bool validates_ = true;
};

} // namespace kiln::api
