// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What nearly every test of the public API needs: builder, network and configuration with a
// recording logger, and an opened engine with one context.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <NvInfer.h>
#include <gtest/gtest.h>

#include "support/recording_logger.h"

namespace kiln::test {

inline nvinfer1::Dims dims(std::vector<int64_t> const& extents) {
    nvinfer1::Dims result{};
    result.nbDims = static_cast<int32_t>(extents.size());
    std::copy(extents.begin(), extents.end(), result.d);
    return result;
}

/// Everything needed to build a plan.
class Session {
public:
    explicit Session(nvinfer1::NetworkDefinitionCreationFlags flags = 0)
        : builder(nvinfer1::createInferBuilder(log)), network(builder->createNetworkV2(flags)),
          config(builder->createBuilderConfig()) {}

    nvinfer1::ITensor& input(char const* name, std::vector<int64_t> const& extents,
                             nvinfer1::DataType type = nvinfer1::DataType::kFLOAT) {
        nvinfer1::ITensor* const tensor = network->addInput(name, type, dims(extents));
        EXPECT_NE(tensor, nullptr) << log.errors();
        return *tensor;
    }

    void output(nvinfer1::ITensor& tensor, char const* name) {
        tensor.setName(name);
        network->markOutput(tensor);
    }

    nvinfer1::IOptimizationProfile& profile() {
        if (profile_ == nullptr) {
            profile_ = builder->createOptimizationProfile();
        }
        return *profile_;
    }
    void range(char const* name, std::vector<int64_t> const& min, std::vector<int64_t> const& opt,
               std::vector<int64_t> const& max) {
        using nvinfer1::OptProfileSelector;
        EXPECT_TRUE(profile().setDimensions(name, OptProfileSelector::kMIN, dims(min)));
        EXPECT_TRUE(profile().setDimensions(name, OptProfileSelector::kOPT, dims(opt)));
        EXPECT_TRUE(profile().setDimensions(name, OptProfileSelector::kMAX, dims(max)));
    }

    /// Null on failure; `log` then has the errors.
    std::unique_ptr<nvinfer1::IHostMemory> build() {
        if (profile_ != nullptr && config->getNbOptimizationProfiles() == 0) {
            EXPECT_EQ(config->addOptimizationProfile(profile_), 0) << log.errors();
        }
        return std::unique_ptr<nvinfer1::IHostMemory>(
            builder->buildSerializedNetwork(*network, *config));
    }

    RecordingLogger log;
    std::unique_ptr<nvinfer1::IBuilder> builder;
    std::unique_ptr<nvinfer1::INetworkDefinition> network;
    std::unique_ptr<nvinfer1::IBuilderConfig> config;

private:
    nvinfer1::IOptimizationProfile* profile_ = nullptr; ///< owned by the builder
};

/// An opened plan with one context.
class Running {
public:
    Running(RecordingLogger& log, nvinfer1::IHostMemory const& plan)
        : runtime(nvinfer1::createInferRuntime(log)),
          engine(runtime->deserializeCudaEngine(plan.data(), plan.size())) {
        if (engine != nullptr) {
            context.reset(engine->createExecutionContext());
        }
    }

    /// Binds inputs and outputs and runs once; outputs are resized to their shapes.
    bool run(std::map<std::string, std::vector<float>*> const& tensors) {
        for (auto const& [name, values] : tensors) {
            if (engine->getTensorIOMode(name.c_str()) == nvinfer1::TensorIOMode::kOUTPUT) {
                nvinfer1::Dims const shape = context->getTensorShape(name.c_str());
                std::size_t count = 1;
                for (int32_t i = 0; i < shape.nbDims; ++i) {
                    count *= static_cast<std::size_t>(shape.d[i]);
                }
                values->reserve(count + 1); // empty outputs need an address, too
                values->assign(count, -12345.0F);
            }
            if (!context->setTensorAddress(name.c_str(), values->data())) {
                return false;
            }
        }
        return context->enqueueV3(nullptr);
    }

    std::unique_ptr<nvinfer1::IRuntime> runtime;
    std::unique_ptr<nvinfer1::ICudaEngine> engine;
    std::unique_ptr<nvinfer1::IExecutionContext> context;
};

} // namespace kiln::test
