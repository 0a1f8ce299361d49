// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin as an IPluginV2DynamicExt. y = factor * x; x: [...], float. Prints "2 4 6".
#include <NvInfer.h>
#include <kiln/kiln.h>

#include <cstdio>
#include <cstring>
#include <memory>

namespace {

using namespace nvinfer1;

int64_t volume(Dims const& dims) {
    int64_t product = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        product *= dims.d[i];
    }
    return product;
}

void scale(float const* x, float* y, int64_t count, float factor) {
    for (int64_t i = 0; i < count; ++i) {
        y[i] = factor * x[i];
    }
}

class Scale : public IPluginV2DynamicExt {
public:
    explicit Scale(float factor) : factor_(factor) {}

    char const* getPluginType() const noexcept override { return "Scale"; }
    char const* getPluginVersion() const noexcept override { return "2"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    void destroy() noexcept override { delete this; }
    IPluginV2DynamicExt* clone() const noexcept override { return new Scale(factor_); }

    DataType getOutputDataType(int32_t, DataType const* inputTypes,
                               int32_t) const noexcept override {
        return inputTypes[0];
    }
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t,
                                  IExprBuilder&) noexcept override {
        return inputs[0];
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return inOut[pos].type == DataType::kFLOAT && inOut[pos].format == TensorFormat::kLINEAR;
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {}
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        scale(static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]),
              volume(inputDesc[0].dims), factor_);
        return 0;
    }
    size_t getSerializationSize() const noexcept override { return sizeof(factor_); }
    void serialize(void* buffer) const noexcept override {
        std::memcpy(buffer, &factor_, sizeof(factor_));
    }

private:
    float factor_;
};

/// Creates the plugin: from fields for a network, from serialized bytes for a plan.
class ScaleCreator : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return "Scale"; }
    char const* getPluginVersion() const noexcept override { return "2"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const* fields) noexcept override {
        if (fields->nbFields != 1) {
            return nullptr;
        }
        return new Scale(*static_cast<float const*>(fields->fields[0].data));
    }
    IPluginV2* deserializePlugin(char const*, void const* data, size_t size) noexcept override {
        float factor = 0;
        if (size != sizeof(factor)) {
            return nullptr;
        }
        std::memcpy(&factor, data, size);
        return new Scale(factor);
    }

private:
    PluginField field_{"factor", nullptr, PluginFieldType::kFLOAT32, 0};
    PluginFieldCollection fields_{1, &field_};
};

REGISTER_TENSORRT_PLUGIN(ScaleCreator);

class Logger : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) {
            std::puts(text);
        }
    }
};

std::unique_ptr<IHostMemory> build(Logger& logger) {
    std::unique_ptr<IBuilder> builder{createInferBuilder(logger)};
    std::unique_ptr<INetworkDefinition> network{builder->createNetworkV2(0)};
    ITensor* x = network->addInput("x", DataType::kFLOAT, Dims{1, {3}});
    Scale plugin{2.0F}; // the network makes a copy
    network->markOutput(*network->addPluginV2(&x, 1, plugin)->getOutput(0));
    std::unique_ptr<IBuilderConfig> config{builder->createBuilderConfig()};
    return std::unique_ptr<IHostMemory>{builder->buildSerializedNetwork(*network, *config)};
}

} // namespace

int main() {
    kiln::setDefaultTarget("cpu"); // the tensors are host arrays
    Logger logger;
    std::unique_ptr<IHostMemory> plan = build(logger);
    std::unique_ptr<IRuntime> runtime{createInferRuntime(logger)};
    std::unique_ptr<ICudaEngine> engine{runtime->deserializeCudaEngine(plan->data(), plan->size())};
    std::unique_ptr<IExecutionContext> context{engine->createExecutionContext()};
    float x[] = {1, 2, 3};
    float y[3];
    void* addresses[] = {x, y};
    context->executeV2(addresses);
    std::printf("%g %g %g\n", y[0], y[1], y[2]);
}
