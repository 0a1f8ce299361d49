// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Work that fails after the call that enqueued it: which layers the error names, and when.
#include <cstdlib>

#include <gmock/gmock.h>

#include "device/device_session.h"
#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// y = relu(x); the kernel reports a fault of its operands.
class KernelFault : public OnDevice {
protected:
    void SetUp() override {
        ITensor& x = session->input("x", {1});
        IActivationLayer* const layer = session->network->addActivation(x, ActivationType::kRELU);
        layer->setName("clip");
        session->output(*layer->getOutput(0), "y");
        open();
        bind("x", in.data());
        bind("y", out.data());
        device.fault = "the number is odd";
    }
    DeviceArray<float> in{{3}};
    DeviceArray<float> out{{7}};
};

TEST_F(KernelFault, IsToldByTheNextRun) {
    EXPECT_TRUE(context().enqueueV3(stream)) << errors();
    device.synchronize(stream);
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(),
                AllOf(HasSubstr("[run] layer 'clip' (kernel queued/activation"),
                      HasSubstr(" failed: the number is odd"), Not(HasSubstr("KILN_SYNC"))));
    EXPECT_TRUE(context().enqueueV3(stream)) << errors();
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(3));
}

TEST_F(KernelFault, IsToldByACallThatWaits) {
    void* const bindings[]{in.data(), out.data()};
    EXPECT_FALSE(context().executeV2(bindings));
    EXPECT_THAT(errors(), HasSubstr("[run] layer 'clip' (kernel queued/activation"));
    EXPECT_TRUE(context().executeV2(bindings)) << errors();
}

TEST_F(KernelFault, IsToldAtOnceWithDebugSync) {
    context().setDebugSync(true);
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(), HasSubstr(" failed: the number is odd"));
    context().setDebugSync(false);
    EXPECT_TRUE(context().enqueueV3(stream)) << errors();
    device.synchronize(stream);
}

/// Three plugins in a row, of which the second one breaks the device.
class DeviceFault : public OnDevice {
protected:
    DeviceFault() : good(makeScript("Good")), bad(makeScript("Bad")) {
        bad.work = [this](Call const& call) {
            device.push(call.stream,
                        [this] { device.breakDevice(breaks ? "ILLEGAL_ADDRESS." : ""); });
            return 0;
        };
        creators.push_back(std::make_unique<ScriptedV3Creator>(good));
        creators.push_back(std::make_unique<ScriptedV3Creator>(bad));
    }
    ~DeviceFault() override {
        ::unsetenv("KILN_SYNC");
        running.reset();
        session.reset();
    }

    static Script& scriptNamed(Script& script, char const* name) {
        script.name = name;
        script.work = [](Call const& call) {
            QueuedDevice& queue = QueuedDevice::instance();
            queue.push(call.stream, [from = call.inputs[0], to = call.outputs[0]] {
                std::memcpy(to, from, 16);
            });
            return queue.isBroken() ? 1 : 0;
        };
        return script;
    }
    Script& makeScript(char const* name) {
        return scriptNamed(name == std::string("Good") ? first : second, name);
    }

    void openRow() {
        breaks = false; // not while tactics are timed
        ITensor* x = &session->input("x", {4});
        for (Script* script : {&good, &bad, &good}) {
            ILayer* const layer = addScripted(*session->network, *script, Style::kV3, {x});
            layer->setName(("layer" + std::to_string(++layers)).c_str());
            x = layer->getOutput(0);
        }
        session->output(*x, "y");
        open();
        bind("x", in.data());
        bind("y", out.data());
        breaks = true;
    }

    Script first;
    Script second;
    Script& good;
    Script& bad;
    bool breaks = false;
    int layers = 0;
    std::vector<std::unique_ptr<ScriptedV3Creator>> creators;
    DeviceArray<float> in{{1, 2, 3, 4}};
    DeviceArray<float> out{{7, 7, 7, 7}};
};

TEST_F(DeviceFault, NamesThePluginsThatMayHaveDoneIt) {
    openRow();
    void* const bindings[]{in.data(), out.data()};
    EXPECT_FALSE(context().executeV2(bindings));
    EXPECT_THAT(errors(),
                AllOf(HasSubstr("[run] work of this engine or of the program failed."),
                      HasSubstr("ILLEGAL_ADDRESS. Plugins come first: layer 'layer1', plugin Good "
                                "(version 1); layer 'layer2', plugin Bad (version 1); layer "
                                "'layer3', plugin Good (version 1). Set KILN_SYNC=1 to see which "
                                "layer it was.")));
    EXPECT_FALSE(context().enqueueV3(stream)); // the first layer is not to blame
    EXPECT_THAT(errors(), AllOf(HasSubstr("[run] layer 'layer1', plugin Good (version 1) could not "
                                          "run: earlier work failed."),
                                HasSubstr("ILLEGAL_ADDRESS. Plugins come first:"),
                                HasSubstr("expected 0, returned 1")));
}

TEST_F(DeviceFault, IsExactWithSync) {
    ::setenv("KILN_SYNC", "1", 1);
    openRow();
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(),
                AllOf(HasSubstr("[run] layer 'layer2', plugin Bad (version 1): its work failed on "
                                "the device. [queued] wait for a stream: ILLEGAL_ADDRESS."),
                      Not(HasSubstr("layer1"))));
    device.breakDevice("");
    device.setCapture(stream, target::Capture::kActive);
    EXPECT_FALSE(context().enqueueV3(stream));
    EXPECT_THAT(errors(), HasSubstr("[run] KILN_SYNC=1 or debug_sync waits for each layer, which a "
                                    "stream capture cannot wait for. Unset it before the stream "
                                    "is captured."));
}

TEST_F(DeviceFault, WhileATacticIsTimedNamesThePlugin) {
    ITensor& x = session->input("x", {4});
    bad.takes = [](PluginTensorDesc const& desc, PluginTensorDesc const& first) {
        return desc.format == TensorFormat::kLINEAR && desc.type == first.type;
    };
    session->config->setFlag(BuilderFlag::kFP16); // two combinations, compared by time
    ILayer* const layer = addScripted(*session->network, bad, Style::kV3, {&x});
    layer->setName("layer");
    session->output(*layer->getOutput(0), "y");
    breaks = true;
    EXPECT_EQ(session->build(), nullptr);
    EXPECT_THAT(errors(),
                HasSubstr("[plugin] layer 'layer', plugin Bad (version 1), while tactic "));
    device.breakDevice("");
}

} // namespace
} // namespace kiln::test
