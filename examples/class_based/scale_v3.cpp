// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin as an IPluginV3. y = factor * x; x: [...], float. Prints "2 4 6".
#include <NvInfer.h>
#include <kiln/kiln.h>

#include <cstdio>
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

class Scale : public IPluginV3,
              public IPluginV3OneCore,
              public IPluginV3OneBuild,
              public IPluginV3OneRuntime {
public:
    explicit Scale(float factor) : factor_(factor) {}

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() noexcept override { return new Scale(factor_); }

    char const* getPluginName() const noexcept override { return "Scale"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    // While a network is defined and built.

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes,
                               int32_t) const noexcept override {
        outputTypes[0] = inputTypes[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t,
                            DimsExprs* outputs, int32_t, IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        PluginTensorDesc const& desc = inOut[pos].desc;
        return desc.type == DataType::kFLOAT && desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }

    // In an engine.

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                          int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        scale(static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]),
              volume(inputDesc[0].dims), factor_);
        return 0;
    }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &fields_; }

private:
    float factor_;
    PluginField field_{"factor", &factor_, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection fields_{1, &field_};
};

/// Creates the plugin from its fields: those of an ONNX node, or those stored in a plan.
class ScaleCreator : public IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return "Scale"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fields,
                            TensorRTPhase) noexcept override {
        if (fields->nbFields != 1) {
            return nullptr;
        }
        return new Scale(*static_cast<float const*>(fields->fields[0].data));
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
    network->markOutput(*network->addPluginV3(&x, 1, nullptr, 0, plugin)->getOutput(0));
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
