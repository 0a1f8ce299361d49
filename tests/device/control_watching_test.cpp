// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops and branches with plugins, profilers, debug listeners, events and captures.
#include <gmock/gmock.h>

#include "api/plan_description.h"
#include "device/control_network.h"
#include "device/queued_device_fixture.h"
#include "graph/ops/activation.h"
#include "graph/ops/constant.h"
#include "graph/ops/softmax.h"
#include "plugin/adapters.h"
#include "plugin/plugin_layer.h"
#include "support/recording_logger.h"
#include "support/scripted_v3.h"

namespace kiln::test {
namespace {

using graph::Network;
using graph::Tensor;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// y = x, changed in `passes` passes of a loop with two layers, then in one body of a branch.
class WatchedControl : public testing::Test {
protected:
    static constexpr int32_t kPasses = 3;

    WatchedControl() {
        QueuedDevice::instance();
        script.work = [](Call const& call) {
            auto const* from = static_cast<float const*>(call.inputs[0]);
            auto* to = static_cast<float*>(call.outputs[0]);
            for (int i = 0; i < 2; ++i) {
                to[i] = from[i] + 1;
            }
            return 0;
        };
    }
    Tensor& layer(Tensor& x, char const* name) {
        graph::SoftMax op; // over one element: it gives 1, and does not fuse
        graph::Node& node = network.addNode(std::make_unique<graph::SoftMax>(op), {&x});
        node.name = name;
        network.rename(*node.outputs[0], std::string(name) + " out");
        return *node.outputs[0];
    }
    Tensor& plugin(Tensor& x) {
        ScriptedV3 object(script);
        std::unique_ptr<plugin::PluginOp> op =
            plugin::adaptV3(object, plugin::Ownership::kBorrowed, "custom")->clone();
        graph::Node& node =
            network.addNode(std::make_unique<plugin::PluginLayer>(std::move(op), 0), {&x});
        node.name = "custom";
        return *node.outputs[0];
    }
    Tensor& host(char const* name) {
        options.profiles.resize(1);
        options.profiles[0].values[name] = {{0}, {1}, {kPasses}};
        return network.addInput(name, DataType::kINT32, makeDims({}));
    }
    void build(char const* target, bool withPlugin) {
        Tensor& n = host("n");
        Tensor& c = host("c");
        Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 1}));
        Tensor& looped = *repeat(network, n, {&x}, {}, [&](Tensors const& s, Tensors const&) {
            Tensor& next = withPlugin ? plugin(*s[0]) : layer(*s[0], "one");
            return Tensors{withPlugin ? &next : &layer(next, "two")};
        })[0];
        Tensor& y = *branch(
            network, c, {&looped}, [&](Tensors const& in) { return Tensors{in[0]}; },
            [&](Tensors const& in) { return Tensors{&layer(*in[0], "three")}; })[0];
        network.rename(y, "y");
        network.markOutput(y);
        for (graph::Node* node : network.nodes()) {
            node->outputs[0]->isDebug = debug && node->name == "two";
        }
        run = std::make_unique<ControlEngine>(network, target, options);
        run->set<float>("x", {4, 5}, {2, 1});
        run->setOnHost<int32_t>("n", kPasses);
        run->setOnHost<int32_t>("c", 1);
    }

    Script script;
    ScriptedV3Creator creator{script};
    Network network{true};
    compiler::Options options;
    bool debug = false;
    std::unique_ptr<ControlEngine> run;
};

TEST_F(WatchedControl, PluginsRunInEachPass) {
    build("cpu", true);
    EXPECT_THAT(run->get("y", 2), ElementsAre(7, 8));
    EXPECT_EQ(script.calls("enqueue"), kPasses);
    run->setOnHost<int32_t>("n", 0);
    EXPECT_THAT(run->get("y", 2), ElementsAre(4, 5));
}

struct Times final : nvinfer1::IProfiler {
    void reportLayerTime(char const* name, float ms) noexcept override {
        EXPECT_GE(ms, 0.0F);
        layers.emplace_back(name);
    }
    std::vector<std::string> layers;
};

TEST_F(WatchedControl, ProfilersSeeTheLayersOfBodiesOnce) {
    for (char const* const target : {"cpu", "queued"}) {
        network.~Network();
        new (&network) Network(true);
        build(target, false);
        Times times;
        run->context.watch([&](runtime::Watchers& watchers) { watchers.setProfiler(&times); });
        run->run("y");
        std::vector<std::string> const once{"loop", "one", "two", "branch"};
        ASSERT_GE(times.layers.size(), once.size());
        EXPECT_EQ(std::vector<std::string>(times.layers.begin(), times.layers.begin() + 4), once);
        std::size_t const layers = times.layers.size();
        EXPECT_EQ(times.layers.back(), "three"); // it did not run
        run->setOnHost<int32_t>("n", 0);
        run->setOnHost<int32_t>("c", 0);
        run->run("y");
        EXPECT_EQ(times.layers.size(), 2 * layers);
        run->context.watch([&](runtime::Watchers& watchers) { watchers.setProfiler(nullptr); });
        run.reset();
    }
}

struct Shown final : nvinfer1::IDebugListener {
    bool processDebugTensor(void const*, nvinfer1::TensorLocation, DataType, nvinfer1::Dims const&,
                            char const* name, cudaStream_t) override {
        tensors.emplace_back(name);
        return true;
    }
    std::vector<std::string> tensors;
};

TEST_F(WatchedControl, DebugListenersSeeEachPass) {
    debug = true;
    build("cpu", false);
    Shown shown;
    run->context.watch([&](runtime::Watchers& watchers) {
        watchers.setListener(&shown);
        watchers.setAllDebugStates(true);
    });
    run->run("y");
    EXPECT_THAT(shown.tensors, ElementsAre("two out", "two out", "two out"));
}

TEST_F(WatchedControl, InputsAreConsumedBehindTheLoop) {
    build("queued", false);
    QueuedDevice& device = QueuedDevice::instance();
    target::EventHandle const event = device.createEvent();
    run->run("y");
    run->context.watch([&](runtime::Watchers& watchers) { watchers.setConsumedEvent(event); });
    run->context.run(run->stream);
    // The initial copy, two layers in each pass, whose values are not copied, and the event.
    for (int i = 0; i < 2 + 2 * kPasses; ++i) {
        EXPECT_FALSE(QueuedDevice::hasPassed(event));
        device.doOne(run->stream);
    }
    EXPECT_TRUE(QueuedDevice::hasPassed(event));
    run->context.watch([&](runtime::Watchers& watchers) { watchers.setConsumedEvent(nullptr); });
    device.synchronize(run->stream);
    device.destroyEvent(event);
}

TEST_F(WatchedControl, ReportsNameTheLayersOfBodies) {
    options.verbosity = nvinfer1::ProfilingVerbosity::kDETAILED;
    build("cpu", false);
    RecordingLogger log;
    std::unique_ptr<nvinfer1::IRuntime> const runtime(nvinfer1::createInferRuntime(log));
    std::unique_ptr<nvinfer1::ICudaEngine> const engine(
        runtime->deserializeCudaEngine(run->plan.data(), run->plan.size()));
    ASSERT_NE(engine, nullptr) << log.errors();
    std::unique_ptr<nvinfer1::IEngineInspector> const inspector(engine->createEngineInspector());
    EXPECT_THAT(
        inspector->getLayerInformation(0, nvinfer1::LayerInformationFormat::kONELINE),
        AllOf(HasSubstr("Name: loop, LayerType: Repeat"), HasSubstr(R"(Bodies: [["one","two"]])")));
    EXPECT_THAT(inspector->getEngineInformation(nvinfer1::LayerInformationFormat::kONELINE),
                HasSubstr("Name: branch, LayerType: Branch"));
    EXPECT_THAT(api::planDescription(run->plan),
                AllOf(HasSubstr(R"("op": "Repeat")"), HasSubstr(R"("op": "Branch")")));
}

TEST_F(WatchedControl, CapturesRecordThePassesThatRun) {
    build("queued", false);
    QueuedDevice& device = QueuedDevice::instance();
    run->run("y");
    device.setCapture(run->stream, target::Capture::kActive);
    run->context.run(run->stream);
    EXPECT_EQ(device.waiting(run->stream), 1U + 2U * kPasses + 2U); // the branch copies twice
    device.setCapture(run->stream, target::Capture::kNone);
}

} // namespace
} // namespace kiln::test
