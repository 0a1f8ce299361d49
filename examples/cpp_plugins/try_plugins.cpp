// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loads each plugin library of this example, builds and runs an engine of one layer, and prints the
// first output:
//     try_plugins FOLDER [LIBRARY ...]
// FOLDER contains the libraries; without names, all are tried. Exit code 1 if one fails.
#include <NvInfer.h>
#include <kiln/kiln.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using namespace nvinfer1;

namespace {

struct Logger : ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) {
            std::fprintf(stderr, "%s\n", text);
        }
    }
};

// An input and its values; its type is int32 if `ints` has values, else float.
struct Input {
    char const* name;
    Dims dims;
    std::vector<float> floats;
    std::vector<int32_t> ints;

    DataType type() const { return ints.empty() ? DataType::kFLOAT : DataType::kINT32; }
    void const* data() const {
        return ints.empty() ? static_cast<void const*>(floats.data()) : ints.data();
    }
};

struct Trial {
    char const* library;
    char const* plugin;
    std::vector<Input> inputs;
    std::vector<Input> shapeInputs;
};

Dims shape(std::vector<int64_t> const& extents) {
    Dims dims{};
    dims.nbDims = static_cast<int32_t>(extents.size());
    std::copy(extents.begin(), extents.end(), dims.d);
    return dims;
}

std::vector<Trial> allTrials() {
    std::vector<float> const rows{1, 5, 2, 9, 0, 3};
    return {
        {"v2", "ScaleV2", {{"x", shape({2, 3}), rows, {}}}, {}},
        {"v2_ext", "RowMaxV2Ext", {{"x", shape({2, 3}), rows, {}}}, {}},
        {"v2_io_ext", "RowArgMaxV2IOExt", {{"x", shape({2, 3}), rows, {}}}, {}},
        {"v3_aliased",
         "AddInPlace",
         {{"x", shape({3}), {1, 2, 3}, {}}, {"y", shape({3}), {10, 20, 30}, {}}},
         {}},
        {"v3_size_tensor", "NonZero", {{"x", shape({6}), {0, 3, 0, 0, 5, 7}, {}}}, {}},
        {"v3_shape_input",
         "Repeat",
         {{"x", shape({2}), {4, 5}, {}}},
         {{"times", shape({1}), {}, {3}}}},
        {"v3_tactics", "Transpose", {{"x", shape({2, 3}), rows, {}}}, {}},
        {"v3_resource", "PixelsToLight", {{"x", shape({3}), {}, {0, 128, 255}}}, {}},
    };
}

// Memory for an output whose size is known only at run time.
struct Output : IOutputAllocator {
    void* reallocateOutputAsync(char const*, void*, uint64_t bytes, uint64_t,
                                cudaStream_t) override {
        memory.resize(std::max<size_t>(bytes, 1));
        return memory.data();
    }
    void notifyShape(char const*, Dims const& dims) noexcept override { shape = dims; }

    void print(DataType type) const {
        int64_t count = 1;
        for (int32_t i = 0; i < shape.nbDims; ++i) {
            count *= shape.d[i];
        }
        for (int64_t i = 0; i < count; ++i) {
            if (type == DataType::kFLOAT) {
                std::printf(" %g", reinterpret_cast<float const*>(memory.data())[i]);
            } else {
                std::printf(" %d", reinterpret_cast<int32_t const*>(memory.data())[i]);
            }
        }
        std::printf("\n");
    }

    std::vector<unsigned char> memory;
    Dims shape{};
};

// Creates and adds the plugin with either kind of creator. The network clones the plugin.
ILayer* addPlugin(INetworkDefinition& network, Trial const& trial, std::vector<ITensor*> inputs,
                  std::vector<ITensor*> shapeInputs) {
    IPluginCreatorInterface* const creator = getPluginRegistry()->getCreator(trial.plugin, "1", "");
    if (creator == nullptr) {
        return nullptr;
    }
    auto const count = static_cast<int32_t>(inputs.size());
    float const factor = 3;
    PluginField const field{"factor", &factor, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection const fields{1, &field};
    if (std::string(creator->getInterfaceInfo().kind) == "PLUGIN CREATOR_V1") {
        IPluginV2* const plugin =
            static_cast<IPluginCreator*>(creator)->createPlugin(trial.plugin, &fields);
        ILayer* const layer = network.addPluginV2(inputs.data(), count, *plugin);
        plugin->destroy();
        return layer;
    }
    std::unique_ptr<IPluginV3> const plugin(
        static_cast<IPluginCreatorV3One*>(creator)->createPlugin(trial.plugin, &fields,
                                                                 TensorRTPhase::kBUILD));
    return network.addPluginV3(inputs.data(), count, shapeInputs.data(),
                               static_cast<int32_t>(shapeInputs.size()), *plugin);
}

std::unique_ptr<IHostMemory> build(Logger& logger, Trial const& trial) {
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    config->setPreviewFeature(PreviewFeature::kALIASED_PLUGIN_IO_10_03, true); // v3_aliased
    IOptimizationProfile* const profile = builder->createOptimizationProfile();

    std::vector<ITensor*> inputs;
    std::vector<ITensor*> shapeInputs;
    for (Input const& input : trial.inputs) {
        inputs.push_back(network->addInput(input.name, input.type(), input.dims));
    }
    for (Input const& input : trial.shapeInputs) {
        shapeInputs.push_back(network->addInput(input.name, input.type(), input.dims));
        for (auto const& [selector, value] :
             {std::pair(OptProfileSelector::kMIN, 1), std::pair(OptProfileSelector::kOPT, 2),
              std::pair(OptProfileSelector::kMAX, 8)}) {
            int64_t const values[] = {value};
            profile->setShapeValuesV2(input.name, selector, values, 1);
        }
    }
    if (!shapeInputs.empty()) {
        config->addOptimizationProfile(profile);
    }
    ILayer* const layer = addPlugin(*network, trial, inputs, shapeInputs);
    if (layer == nullptr) {
        return nullptr;
    }
    layer->getOutput(0)->setName("out");
    network->markOutput(*layer->getOutput(0));
    return std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config));
}

bool run(Logger& logger, Trial const& trial, std::string const& folder) {
    std::string const path = folder + "/" + trial.library + ".so";
    if (getPluginRegistry()->loadLibrary(path.c_str()) == nullptr) {
        return false;
    }
    std::unique_ptr<IHostMemory> const plan = build(logger, trial);
    if (plan == nullptr) {
        return false;
    }
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger));
    std::unique_ptr<ICudaEngine> const engine(
        runtime->deserializeCudaEngine(plan->data(), plan->size()));
    if (engine == nullptr) {
        return false;
    }
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    bool ready = context != nullptr;
    for (auto const* const list : {&trial.inputs, &trial.shapeInputs}) {
        for (Input const& input : *list) {
            ready = ready && context->setInputTensorAddress(input.name, input.data());
        }
    }
    Output output;
    if (!ready || !context->setOutputAllocator("out", &output) || !context->enqueueV3(nullptr)) {
        return false;
    }
    std::printf("%s:", trial.library);
    output.print(engine->getTensorDataType("out"));
    return true;
}

} // namespace

int main(int count, char** arguments) {
    kiln::setDefaultTarget("cpu"); // the tensors are host arrays
    if (count < 2) {
        std::fprintf(stderr, "usage: try_plugins FOLDER [LIBRARY ...]\n");
        return 1;
    }
    Logger logger;
    std::unique_ptr<IRuntime> const keepsLogger(createInferRuntime(logger)); // for the registry
    int failed = 0;
    for (Trial const& trial : allTrials()) {
        bool const wanted =
            count == 2 || std::find(arguments + 2, arguments + count, std::string(trial.library)) !=
                              arguments + count;
        if (wanted && !run(logger, trial, arguments[1])) {
            std::printf("%s: failed\n", trial.library);
            failed = 1;
        }
    }
    return failed;
}
