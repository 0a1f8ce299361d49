// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// gpu_cpp_plugin <library>: compares an engine of one C++ plugin, circular padding compiled by
// nvcc, with a direct call of the plugin's enqueue(). Prints for each case its name, the engine's
// time and the direct call's time: milliseconds on the GPU, microseconds on the host.
#include <cstdint>
#include <memory>
#include <utility>

#include <NvInfer.h>
#include <kiln/device.h>

#include "rivals.h"

namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::IPluginV3;
using nvinfer1::PluginTensorDesc;

constexpr int32_t kPads[] = {1, 1, 1, 1};
constexpr int kCopies = 50; // runs in one graph

IPluginV3* makePlugin() {
    nvinfer1::PluginField const field{"pads", kPads, nvinfer1::PluginFieldType::kINT32, 4};
    nvinfer1::PluginFieldCollection const fields{1, &field};
    auto* const creator = static_cast<nvinfer1::IPluginCreatorV3One*>(
        getPluginRegistry()->getCreator("CircPadPlugin", "2", ""));
    expect(creator != nullptr, "finding the creator");
    IPluginV3* const plugin =
        creator->createPlugin("pad", &fields, nvinfer1::TensorRTPhase::kRUNTIME);
    expect(plugin != nullptr, "making the plugin");
    return plugin;
}

/// One shape and type: the engine, the plugin to call directly, and their memory.
class Case {
public:
    Case(kiln::IDevice& device, Dims const& shape, DataType type)
        : device_(device), in_{shape, type, nvinfer1::TensorFormat::kLINEAR, 1.0F}, out_(in_),
          plugin_(makePlugin()) {
        uint64_t count = type == DataType::kHALF ? 2 : 4;
        for (int32_t axis = 0; axis < shape.nbDims; ++axis) {
            out_.dims.d[axis] += axis >= shape.nbDims - 2 ? 2 : 0;
            count *= static_cast<uint64_t>(out_.dims.d[axis]);
        }
        x_ = device.allocate(count);
        y_ = device.allocate(count);
        expect(x_ != nullptr && y_ != nullptr && device.createStream(&stream_), "allocating");
        bare_ = static_cast<nvinfer1::IPluginV3OneRuntime*>(
            plugin_->getCapabilityInterface(nvinfer1::PluginCapabilityType::kRUNTIME));
        expect(bare_->onShapeChange(&in_, 1, &out_, 1) == 0, "giving the shape");
        build();
    }
    ~Case() {
        context_.reset();
        device_.synchronize(stream_);
        device_.destroyStream(stream_);
        device_.release(x_);
        device_.release(y_);
    }

    void run() { expect(context_->enqueueV3(stream_), "running the engine"); }
    void launch() {
        expect(bare_->enqueue(&in_, &out_, &x_, &y_, nullptr, stream_) == 0, "launching");
    }
    cudaStream_t stream() const { return stream_; }

    /// Milliseconds per work() on the GPU.
    template <typename Work>
    double deviceMs(Work&& work, int calls) {
        cudaEvent_t const start = device_.createEvent();
        cudaEvent_t const stop = device_.createEvent();
        device_.record(start, stream_);
        for (int i = 0; i < calls; ++i) {
            work();
        }
        expect(device_.record(stop, stream_) && device_.synchronize(stream_), "measuring");
        double const taken = device_.elapsedMs(start, stop);
        device_.destroyEvent(start);
        device_.destroyEvent(stop);
        return taken / calls;
    }

    template <typename Work>
    void* graphOf(Work&& work) {
        work(); // excludes the preparations of a first run
        expect(device_.synchronize(stream_) && device_.beginCapture(stream_), "beginning a graph");
        for (int i = 0; i < kCopies; ++i) {
            work();
        }
        void* const graph = device_.endCapture(stream_);
        expect(graph != nullptr, "recording a graph");
        return graph;
    }

private:
    void build() {
        std::unique_ptr<nvinfer1::IBuilder> const builder(nvinfer1::createInferBuilder(logger_));
        auto const strongly =
            static_cast<uint32_t>(nvinfer1::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
        std::unique_ptr<nvinfer1::INetworkDefinition> const network(
            builder->createNetworkV2(1U << strongly));
        nvinfer1::ITensor* x = network->addInput("x", in_.type, in_.dims);
        std::unique_ptr<IPluginV3> const plugin(makePlugin());
        nvinfer1::ITensor* const y = network->addPluginV3(&x, 1, nullptr, 0, *plugin)->getOutput(0);
        y->setName("y");
        network->markOutput(*y);
        std::unique_ptr<nvinfer1::IBuilderConfig> const config(builder->createBuilderConfig());
        std::unique_ptr<nvinfer1::IHostMemory> const plan(
            builder->buildSerializedNetwork(*network, *config));
        expect(plan != nullptr, "building");
        runtime_.reset(nvinfer1::createInferRuntime(logger_));
        engine_.reset(runtime_->deserializeCudaEngine(plan->data(), plan->size()));
        context_.reset(engine_->createExecutionContext());
        expect(context_->setTensorAddress("x", x_) && context_->setTensorAddress("y", y_),
               "binding");
    }

    kiln::IDevice& device_;
    Logger logger_;
    PluginTensorDesc in_;
    PluginTensorDesc out_;
    std::unique_ptr<IPluginV3> plugin_;
    nvinfer1::IPluginV3OneRuntime* bare_ = nullptr;
    void* x_ = nullptr;
    void* y_ = nullptr;
    cudaStream_t stream_ = nullptr;
    std::unique_ptr<nvinfer1::IRuntime> runtime_;
    std::unique_ptr<nvinfer1::ICudaEngine> engine_;
    std::unique_ptr<nvinfer1::IExecutionContext> context_;
};

void print(char const* what, std::pair<double, double> const& rivals) {
    std::printf("%s %.6f %.6f\n", what, rivals.first, rivals.second);
}

void large(kiln::IDevice& device, char const* name, DataType type) {
    Case pad(device, Dims{4, {32, 64, 512, 512}}, type);
    auto const run = [&] { pad.run(); };
    auto const launch = [&] { pad.launch(); };
    print(name, inTurns(15, [&](auto& work) { return pad.deviceMs(work, 5); }, run, launch));
}

void small(kiln::IDevice& device) {
    Case pad(device, Dims{4, {10, 3, 32, 32}}, DataType::kFLOAT);
    auto const run = [&] { pad.run(); };
    auto const launch = [&] { pad.launch(); };
    void* const graphs[] = {pad.graphOf(run), pad.graphOf(launch)};
    auto const replay = [&](int which) {
        return [&, which] {
            expect(device.launchGraph(graphs[which], pad.stream()), "launching a graph");
        };
    };
    auto const ms = [&](auto& work) { return pad.deviceMs(work, 5); };
    print("graph", inTurns(15, ms, replay(0), replay(1)));
    auto const us = [&](auto& work) { return burstUs(device, pad.stream(), work); };
    print("host", inTurns(201, us, run, launch));
    for (void* graph : graphs) {
        device.destroyGraph(graph);
    }
}

} // namespace

int main(int count, char** arguments) {
    expect(count == 2, "reading one argument");
    char const* problem = nullptr;
    kiln::IDevice* const device = kiln::openDevice("cuda", &problem);
    expect(device != nullptr, problem);
    expect(getPluginRegistry()->loadLibrary(arguments[1]) != nullptr, "loading the library");
    large(*device, "float32", DataType::kFLOAT);
    large(*device, "float16", DataType::kHALF);
    small(*device);
    return 0;
}
