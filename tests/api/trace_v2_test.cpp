// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every callback of an IPluginV2DynamicExt, in order and with its arguments, through build, save,
// load, two contexts, runs, a change of shape and destruction. The expected texts are written from
// the documented life cycle, never recorded from Kiln.
#include <string>

#include <gtest/gtest.h>

#include "support/trace_program.h"
#include "support/traced_v2.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

/// Returns the trace of a whole program.
std::string record(Manner const& manner, bool half) {
    Trace trace;
    TracedV2Creator creator(trace);
    EXPECT_TRUE(
        getPluginRegistry()->registerCreator(static_cast<IPluginCreatorInterface&>(creator), ""));
    RecordingLogger log;
    auto* const own = new TracedV2(trace, manner);
    auto session = std::make_unique<Session>();
    auto const plan =
        buildTraced(trace, *session, half, [&](auto& network, ITensor& input) -> auto& {
            ITensor* const inputs[] = {&input};
            return *network.addPluginV2(inputs, 1, *own)->getOutput(0);
        });
    EXPECT_NE(plan, nullptr) << session->log.errors();
    trace.section("delete the network, configuration and builder");
    session.reset();
    trace.section("destroy the caller's own plugin");
    own->destroy();
    if (plan != nullptr) {
        runTraced(trace, log, *plan);
    }
    getPluginRegistry()->deregisterCreator(static_cast<IPluginCreatorInterface const&>(creator));
    for (int id = 0; id < trace.objects(); ++id) {
        EXPECT_EQ(trace.count("#" + std::to_string(id) + " destroy"), 1) << "object " << id;
    }
    return trace.normalised();
}

std::string const kAdding = R"(== add the plugin
  #0 clone -> #1
== getDimensions of the output
  #1 getOutputDimensions(0, n=1, in0 ? 8 )
  [-1,8]
== buildSerializedNetwork
  #1 clone -> #2
  #2 getOutputDimensions(0, n=1, in0 ? 8 )
  #2 clone -> #3
)";

/// The copy that is configured once the choice is made is initialized, serialized and destroyed.
std::string saving(std::string const& id, std::string const& type) {
    std::string const desc = "[-1,8]:" + type + ":f0 min[1,8] max[16,8]";
    std::string const most = "[16,8]:" + type + ":f0";
    std::string const own = "  #" + id + " ";
    return "  #3 clone -> #" + id + "\n" + own + "configurePlugin(in " + desc + "; out " + desc +
           "; 1 1)\n" + own + "getWorkspaceSize(in " + most + "; out " + most + ")\n" +
           "  #3 destroy\n" + own + "initialize\n  #2 destroy\n" + own + "getSerializationSize\n" +
           own + "serialize\n" + own + "terminate\n" + own + "destroy\n" +
           "== delete the network, configuration and builder\n  #1 destroy\n"
           "== destroy the caller's own plugin\n  #0 destroy\n";
}

/// The callbacks of one timed combination.
std::string timing(std::string const& id, std::string const& type) {
    std::string const own = "  #" + id + " ";
    std::string const range = "[-1,8]:" + type + ":f0 min[1,8] max[16,8]";
    std::string const most = "[16,8]:" + type + ":f0";
    std::string const real = "[4,8]:" + type + ":f0";
    std::string const pinned = real + " min[4,8] max[4,8]";
    return "  #3 clone -> #" + id + "\n" + own + "configurePlugin(in " + range + "; out " + range +
           "; 1 1)\n" + own + "getWorkspaceSize(in " + most + "; out " + most + ")\n" + own +
           "initialize\n" + own + "attachToContext(allocator given)\n" + own +
           "configurePlugin(in " + pinned + "; out " + pinned + "; 1 1)\n" + own + "enqueue(in " +
           real + "; out " + real + "; workspace given)\n" + own + "detachFromContext\n" + own +
           "terminate\n" + own + "destroy\n";
}

/// The callbacks that check a plugin when its plan is opened.
std::string opening(std::string const& made, std::string const& asked, std::string const& type) {
    std::string const own = "  #" + asked + " ";
    std::string const desc = "[-1,8]:" + type + ":f0";
    std::string const range = desc + " min[1,8] max[16,8]";
    std::string const most = "[16,8]:" + type + ":f0";
    std::string text = "  #" + made + " clone -> #" + asked + "\n" + own +
                       "getOutputDimensions(0, n=1, in0 ? 8 )\n";
    for (char const* const position : {"0", "1"}) {
        text +=
            own + "supportsFormatCombination(" + position + ", " + desc + ", in=1, out=1) -> 1\n";
    }
    return text + own + "configurePlugin(in " + range + "; out " + range + "; 1 1)\n" + own +
           "getWorkspaceSize(in " + most + "; out " + most + ")\n" + own + "destroy\n";
}

/// The callbacks while the plan is in use: `made` is the engine's object, `asked` a copy of it,
/// `one` and `two` are those of its contexts.
std::string running(std::string const& made, std::string const& asked, std::string const& one,
                    std::string const& two, std::string const& type) {
    auto const configure = [&](std::string const& shape) {
        std::string const pinned = shape + ":" + type + ":f0 min" + shape + " max" + shape;
        return "  #" + one + " configurePlugin(in " + pinned + "; out " + pinned + "; 1 1)\n";
    };
    auto const enqueue = [&](std::string const& shape) {
        std::string const desc = shape + ":" + type + ":f0";
        return "  #" + one + " enqueue(in " + desc + "; out " + desc + "; workspace given)\n";
    };
    auto const context = [&](std::string const& id) {
        return "  #" + made + " clone -> #" + id + "\n  #" + id +
               " attachToContext(allocator given)\n";
    };
    auto const leaving = [](std::string const& id) {
        return "  #" + id + " detachFromContext\n  #" + id + " destroy\n";
    };
    return "== deserializeCudaEngine\n"
           "  creator deserializePlugin '(Unnamed Layer* 0) [PluginV2DynamicExt]' -> #" +
           made + "\n" + opening(made, asked, type) + "  #" + made +
           " initialize\n== createExecutionContext (1)\n" + context(one) +
           "== createExecutionContext (2)\n" + context(two) +
           "== setInputShape 4x8\n"
           "== enqueueV3\n" +
           configure("[4,8]") + enqueue("[4,8]") + "== enqueueV3 again\n" + enqueue("[4,8]") +
           "== setInputShape 2x8, enqueueV3\n" + configure("[2,8]") + enqueue("[2,8]") +
           "== setInputShape 2x8 again, enqueueV3\n" + enqueue("[2,8]") +
           "== setInputShape 17x8 (outside)\n"
           "== delete context 1\n" +
           leaving(one) + "== delete context 2\n" + leaving(two) + "== delete engine\n  #" + made +
           " terminate\n  #" + made + " destroy\n== delete runtime\n== end\n";
}

TEST(TraceV2, OneTypeIsNotTimed) {
    std::string const expected =
        kAdding +
        R"(  #3 supportsFormatCombination(0, [-1,8]:t0:f0, in=1, out=1) -> 1
  #3 supportsFormatCombination(1, [-1,8]:t0:f0, in=1, out=1) -> 1
)" + saving("4", "t0") +
        running("5", "6", "7", "8", "t0");
    EXPECT_EQ(record({false, DataType::kHALF}, false), expected);
}

// Queries of every combination of the types that the build may choose, operand by operand.
std::string const kQuestions =
    R"(  #3 supportsFormatCombination(0, [-1,8]:t0:f0, in=1, out=1) -> 1
  #3 supportsFormatCombination(1, [-1,8]:t0:f0, in=1, out=1) -> 1
  #3 supportsFormatCombination(1, [-1,8]:t1:f0, in=1, out=1) -> 0
  #3 supportsFormatCombination(0, [-1,8]:t1:f0, in=1, out=1) -> 1
  #3 supportsFormatCombination(1, [-1,8]:t0:f0, in=1, out=1) -> 0
  #3 supportsFormatCombination(1, [-1,8]:t1:f0, in=1, out=1) -> 1
)";

TEST(TraceV2, TwoTypesAreTimedAndFloatIsChosen) {
    std::string const expected = kAdding + kQuestions + timing("4", "t0") + timing("5", "t1") +
                                 saving("6", "t0") + running("7", "8", "9", "10", "t0");
    EXPECT_EQ(record({true, DataType::kHALF}, true), expected);
}

TEST(TraceV2, TwoTypesAreTimedAndHalfIsChosen) {
    std::string const expected = kAdding + kQuestions + timing("4", "t0") + timing("5", "t1") +
                                 saving("6", "t1") + running("7", "8", "9", "10", "t1");
    EXPECT_EQ(record({true, DataType::kFLOAT}, true), expected);
}

// Without the flag, a plugin that takes half is not asked about it and stays in float.
TEST(TraceV2, WithoutTheFlagHalfIsNotAskedFor) {
    std::string const trace = record({true, DataType::kFLOAT}, false);
    EXPECT_EQ(trace.find("t1"), std::string::npos) << trace;
}

} // namespace
} // namespace kiln::test
