// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which calls wait and which do not, on a target that runs work asynchronously.
#include <gmock/gmock.h>
#include <kiln/kiln.h>

#include "device/device_session.h"
#include "support/switched_off.h"
#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::ElementsAre;
using testing::HasSubstr;

class Asynchrony : public OnDevice {
protected:
    /// x [4] -> ReLU -> identity -> ReLU -> y: three steps
    void openChain() {
        SwitchedOff const rewriting("KILN_REWRITE");
        ITensor& x = session->input("x", {4});
        ITensor& one = *session->network->addActivation(x, ActivationType::kRELU)->getOutput(0);
        ITensor& two = *session->network->addIdentity(one)->getOutput(0);
        session->output(*session->network->addActivation(two, ActivationType::kRELU)->getOutput(0),
                        "y");
        open();
        bind("x", in.data());
        bind("y", out.data());
    }
    DeviceArray<float> in{{-1, 2, -3, 4}};
    DeviceArray<float> out{{7, 7, 7, 7}};
};

TEST_F(Asynchrony, RunsWaitForNothing) {
    openChain();
    int const before = device.waits;
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(device.waits, before);
    EXPECT_EQ(device.waiting(stream), 6U);
    EXPECT_THAT(out.values(), ElementsAre(7, 7, 7, 7));
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(0, 2, 0, 4));
}

TEST_F(Asynchrony, ExecuteWaits) {
    openChain();
    void* const bindings[]{in.data(), out.data()};
    ASSERT_TRUE(context().executeV2(bindings)) << errors();
    EXPECT_THAT(out.values(), ElementsAre(0, 2, 0, 4));
}

TEST_F(Asynchrony, InputsAreConsumedBehindTheirLastReader) {
    openChain();
    target::EventHandle const event = device.createEvent();
    ASSERT_TRUE(context().setInputConsumedEvent(event));
    EXPECT_EQ(context().getInputConsumedEvent(), event);
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(device.waiting(stream), 4U);
    device.doOne(stream);
    EXPECT_FALSE(QueuedDevice::hasPassed(event));
    device.doOne(stream);
    EXPECT_TRUE(QueuedDevice::hasPassed(event));
    device.synchronize(stream);
    ASSERT_TRUE(context().setInputConsumedEvent(nullptr));
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(device.waiting(stream), 3U);
    device.synchronize(stream);
    device.destroyEvent(event);
}

TEST_F(Asynchrony, TwoContextsOnTwoStreams) {
    openChain();
    std::unique_ptr<IExecutionContext> const other(running->engine->createExecutionContext());
    DeviceArray<float> const in2({5, -6, 7, -8});
    DeviceArray<float> const out2(std::vector<float>(4));
    other->setTensorAddress("x", in2.data());
    other->setTensorAddress("y", out2.data());
    target::StreamHandle const second = device.createStream();
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    ASSERT_TRUE(other->enqueueV3(second)) << errors();
    while (device.waiting(stream) > 0) { // alternately
        device.doOne(stream);
        device.doOne(second);
    }
    EXPECT_THAT(out.values(), ElementsAre(0, 2, 0, 4));
    EXPECT_THAT(out2.values(), ElementsAre(5, 0, 7, 0));
    device.destroyStream(second);
}

struct Times final : IProfiler {
    void reportLayerTime(char const* name, float) noexcept override { layers.emplace_back(name); }
    std::vector<std::string> layers;
};

TEST_F(Asynchrony, ProfilersWaitWhenTheyReport) {
    openChain();
    Times times;
    context().setProfiler(&times);
    int const before = device.waits;
    context().setEnqueueEmitsProfile(false);
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(device.waits, before);
    EXPECT_TRUE(times.layers.empty());
    EXPECT_TRUE(context().reportToProfiler()) << errors();
    EXPECT_EQ(times.layers.size(), 3U);
    context().setEnqueueEmitsProfile(true);
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(times.layers.size(), 6U);
    EXPECT_EQ(device.waiting(stream), 0U);
}

/// A plugin that keeps the positive numbers of x and counts them.
class Sizes : public OnDevice {
protected:
    Sizes() {
        script.outputs = 2;
        script.type = [](int32_t i, DataType const*) {
            return i == 0 ? DataType::kFLOAT : DataType::kINT32;
        };
        script.shape = [](int32_t i, DimsExprs const* inputs, IExprBuilder& builder) {
            DimsExprs shape{};
            shape.nbDims = i == 0 ? 1 : 0;
            if (i == 0) {
                shape.d[0] = builder.declareSizeTensor(1, *inputs[0].d[0], *inputs[0].d[0]);
            }
            return shape;
        };
        script.takes = [](PluginTensorDesc const& desc, PluginTensorDesc const&) {
            return desc.format == TensorFormat::kLINEAR;
        };
        script.work = [this](Call const& call) {
            device.push(call.stream, [this, x = static_cast<float const*>(call.inputs[0]),
                                      y = static_cast<float*>(call.outputs[0]),
                                      n = static_cast<int32_t*>(call.outputs[1])] {
                std::copy_if(x, x + 4, y, [](float value) { return value > 0; });
                *n = lie + static_cast<int32_t>(
                               std::count_if(x, x + 4, [](float value) { return value > 0; }));
            });
            return 0;
        };
        creator = std::make_unique<ScriptedV3Creator>(script);
    }
    ~Sizes() override {
        running.reset();
        session.reset();
    }

    enum class Marked { kValues, kValuesOfALaterLayer, kSize };
    void openWith(Marked marked) {
        ITensor& x = session->input("x", {4});
        ILayer* const layer = addScripted(*session->network, script, Style::kV3, {&x});
        layer->setName("keep");
        ITensor& y = *layer->getOutput(0);
        if (marked == Marked::kSize) {
            session->output(*layer->getOutput(1), "n");
        } else if (marked == Marked::kValues) {
            session->output(y, "y");
        } else {
            session->output(
                *session->network->addActivation(y, ActivationType::kRELU)->getOutput(0), "y");
        }
        open();
        bind("x", in.data());
        if (marked == Marked::kSize) {
            bind("n", count.data());
        } else {
            bind("y", out.data());
        }
    }

    Script script;
    int32_t lie = 0;
    std::unique_ptr<ScriptedV3Creator> creator;
    DeviceArray<float> in{{-1, 2, -3, 4}};
    DeviceArray<float> out{{7, 7, 7, 7}};
    DeviceArray<int32_t> count{{-1}};
};

TEST_F(Sizes, AreWaitedForWhereALaterLayerNeedsThem) {
    openWith(Marked::kValuesOfALaterLayer);
    int const before = device.waits;
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(device.waits, before + 1);
    EXPECT_EQ(str(context().getTensorShape("y")), "[-1]"); // the next run may differ
    EXPECT_EQ(str(foundShape(context(), "y")), "[2]");
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(2, 4, 7, 7));
}

TEST_F(Sizes, OfOutputsAreWaitedForWhenTheUserAsks) {
    openWith(Marked::kValues);
    EXPECT_EQ(context().getMaxOutputSize("y"), 16);
    int const before = device.waits;
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(str(context().getTensorShape("y")), "[-1]");
    EXPECT_EQ(device.waits, before);
    EXPECT_EQ(str(foundShape(context(), "y")), "[2]");
    EXPECT_EQ(device.waits, before + 1);
    EXPECT_EQ(str(foundShape(context(), "y")), "[2]");
    EXPECT_EQ(device.waits, before + 1);
    EXPECT_EQ(context().getMaxOutputSize("y"), 16); // the next run may keep more
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(2, 4, 7, 7)); // the rest is unchanged
}

struct Giver final : IOutputAllocator {
    explicit Giver(void* memory) : memory_(memory) {}
    void* reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t,
                                cudaStream_t) override {
        bytes = size;
        return memory_;
    }
    void notifyShape(char const*, Dims const& dims) noexcept override { shape = str(dims); }
    uint64_t bytes = 0;
    std::string shape;

private:
    void* memory_;
};

TEST_F(Sizes, OutputAllocatorsHearOfThemBeforeTheRunReturns) {
    openWith(Marked::kValues);
    Giver giver(out.data());
    ASSERT_TRUE(context().setOutputAllocator("y", &giver));
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(giver.bytes, 8U);
    EXPECT_EQ(giver.shape, "[2]");
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(2, 4, 7, 7));
    std::vector<float> host(4);
    Giver wrong(host.data());
    ASSERT_TRUE(context().setOutputAllocator("y", &wrong));
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(), HasSubstr("expected memory of the device, got host memory"));
    device.synchronize(stream);
}

TEST_F(Sizes, AreNotWaitedForWhereNothingNeedsThem) {
    openWith(Marked::kSize);
    int const before = device.waits;
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(device.waits, before);
    device.synchronize(stream);
    EXPECT_THAT(count.values(), ElementsAre(2));
}

TEST_F(Sizes, AboveTheBoundAreTold) {
    openWith(Marked::kValuesOfALaterLayer);
    lie = 3;
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(), HasSubstr("[run] layer 'keep', size tensor"));
    lie = 0;
    EXPECT_TRUE(context().enqueueV3(stream)) << errors();
    device.synchronize(stream);
}

TEST_F(Sizes, OfOutputsAboveTheBoundAreToldWhenTheUserAsks) {
    openWith(Marked::kValues);
    lie = 3;
    EXPECT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(foundShape(context(), "y").nbDims, -1);
    EXPECT_THAT(errors(), HasSubstr("expected enqueue to write a size from 0 to 4, the bound that "
                                    "the plugin declared, got 5"));
    device.synchronize(stream);
}

TEST_F(Sizes, ThatALaterLayerNeedsCanNotBeCaptured) {
    openWith(Marked::kValuesOfALaterLayer);
    device.setCapture(stream, target::Capture::kActive);
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_EQ(device.waiting(stream), 0U);
    EXPECT_THAT(errors(),
                HasSubstr("[run] layer 'keep', plugin Scripted (version 1): its sizes are "
                          "needed on the host, and known only when it has run, which a "
                          "stream capture cannot wait for. Run this engine without a "
                          "capture."));
}

TEST_F(Sizes, OfOutputsCanBeCaptured) {
    openWith(Marked::kValues);
    device.setCapture(stream, target::Capture::kActive);
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    device.setCapture(stream, target::Capture::kNone);
    device.synchronize(stream); // stands for a launch of the graph
    EXPECT_EQ(str(foundShape(context(), "y")), "[2]");
    EXPECT_EQ(str(context().getTensorShape("y")), "[-1]");
    EXPECT_THAT(out.values(), ElementsAre(2, 4, 7, 7));
}

} // namespace
} // namespace kiln::test
