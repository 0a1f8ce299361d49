// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs on a stream that is being captured.
#include <gmock/gmock.h>

#include "device/device_session.h"
#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using target::Capture;
using testing::HasSubstr;

class StreamCapture : public OnDevice {
protected:
    StreamCapture() {
        script.work = [this](Call const& call) {
            if (ends) {
                device.setCapture(call.stream, Capture::kInvalidated);
            }
            return fails ? 1 : 0;
        };
        creator = std::make_unique<ScriptedV3Creator>(script);
    }
    ~StreamCapture() override {
        device.setCapture(stream, Capture::kNone);
        running.reset();
        session.reset();
    }
    void openPlugin() {
        ITensor& x = session->input("x", {4});
        ILayer* const layer = addScripted(*session->network, script, Style::kV3, {&x});
        layer->setName("custom");
        session->output(*layer->getOutput(0), "y");
        open();
        bind("x", in.data());
        bind("y", out.data());
        ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    }
    void openShape() {
        ITensor& x = session->input("x", {-1, 3});
        session->range("x", {1, 3}, {2, 3}, {4, 3});
        session->output(*session->network->addShape(x)->getOutput(0), "y");
        open();
        bind("x", in.data());
        bind("y", shape.data());
    }
    void refused(std::string const& text) {
        device.setCapture(stream, Capture::kActive);
        std::size_t const before = device.waiting(stream);
        EXPECT_FALSE(context().enqueueV3(stream));
        EXPECT_EQ(device.waiting(stream), before);
        EXPECT_THAT(errors(), HasSubstr(text));
        device.setCapture(stream, Capture::kNone);
    }

    Script script;
    bool ends = false;
    bool fails = false;
    std::unique_ptr<ScriptedV3Creator> creator;
    DeviceArray<float> in{std::vector<float>(12)};
    DeviceArray<float> out{std::vector<float>(4)};
    DeviceArray<int64_t> shape{{0, 0}};
};

TEST_F(StreamCapture, WorksWithPluginsThatOnlyLaunch) {
    openPlugin();
    device.setCapture(stream, Capture::kActive);
    EXPECT_TRUE(context().enqueueV3(stream)) << errors();
}

TEST_F(StreamCapture, NamesThePluginThatEndsIt) {
    openPlugin();
    ends = true;
    device.setCapture(stream, Capture::kActive);
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(), HasSubstr("[plugin] layer 'custom', plugin Scripted (version 1): enqueue "
                                    "ended the capture of the stream\nThe stream is being "
                                    "captured: there a plugin may only put work on the stream"));
}

TEST_F(StreamCapture, SaysWhatPluginsThatFailMayNotDo) {
    openPlugin();
    fails = true;
    device.setCapture(stream, Capture::kActive);
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(), HasSubstr("expected 0, returned 1\nThe stream is being captured: "));
}

TEST_F(StreamCapture, ThatWasEndedBefore) {
    openPlugin();
    device.setCapture(stream, Capture::kInvalidated);
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(), HasSubstr("[run] the capture of the stream was ended before this run, by "
                                    "a call that cannot be recorded. Begin it again without that "
                                    "call."));
}

TEST_F(StreamCapture, NeedsARunWithTheSameHostValuesBefore) {
    openShape();
    ASSERT_TRUE(context().setInputShape("x", Dims2{2, 3}));
    refused("[run] shapes or shape inputs changed, and their values have to be brought to the "
            "device, which a stream capture cannot record. Run once with these shapes before the "
            "stream is captured.");
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    device.synchronize(stream);
    device.setCapture(stream, Capture::kActive);
    EXPECT_TRUE(context().enqueueV3(stream)) << errors();
}

struct Times final : IProfiler {
    void reportLayerTime(char const*, float) noexcept override {}
};
struct Listener final : IDebugListener {
    bool processDebugTensor(void const*, TensorLocation, DataType, Dims const&, char const*,
                            cudaStream_t) override {
        return true;
    }
};

TEST_F(StreamCapture, RefusesWhoeverLooksOn) {
    openPlugin();
    Times times;
    context().setProfiler(&times);
    refused("[run] the profiler measures when layers are done, which a stream capture cannot wait "
            "for. Take it from the context before the stream is captured.");
}

TEST_F(StreamCapture, RefusesADebugListener) {
    ITensor& x = session->input("x", {4});
    ITensor& y = *session->network->addActivation(x, ActivationType::kRELU)->getOutput(0);
    session->output(y, "y");
    session->network->markDebug(y);
    open();
    bind("x", in.data());
    bind("y", out.data());
    Listener listener;
    context().setDebugListener(&listener);
    context().setAllTensorsDebugState(true);
    refused("[run] the debug listener is shown tensors of this run, which a stream capture cannot "
            "wait for.");
    context().setDebugListener(nullptr);
}

TEST_F(StreamCapture, IsNotAskedAboutForKernelsAlone) {
    ITensor& x = session->input("x", {4});
    session->output(*session->network->addActivation(x, ActivationType::kRELU)->getOutput(0), "y");
    open();
    bind("x", in.data());
    bind("y", out.data());
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    int const before = device.captureQuestions;
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_EQ(device.captureQuestions, before);
    device.synchronize(stream);
}

} // namespace
} // namespace kiln::test
