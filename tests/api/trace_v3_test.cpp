// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every callback of an IPluginV3, in order and with its arguments, through build, save, load, two
// contexts, runs, a change of shape and destruction. The expected texts are written from the
// documented life cycle (include/kiln/api/plugin_v3*.h), never recorded from Kiln. The headers
// leave open how many copies the builder makes; the expected number is that of the V2 life cycle.
#include <string>

#include <gtest/gtest.h>

#include "support/trace_program.h"
#include "support/traced_v3.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

/// Returns the trace of a whole program.
std::string record(bool takesHalf, DataType slow, bool half) {
    Trace trace;
    TracedV3Creator creator(trace);
    EXPECT_TRUE(getPluginRegistry()->registerCreator(creator, ""));
    RecordingLogger log;
    auto own = std::make_unique<TracedV3>(trace, takesHalf, slow);
    auto session = std::make_unique<Session>();
    auto const plan =
        buildTraced(trace, *session, half, [&](auto& network, ITensor& input) -> auto& {
            ITensor* const inputs[] = {&input};
            return *network.addPluginV3(inputs, 1, nullptr, 0, *own)->getOutput(0);
        });
    EXPECT_NE(plan, nullptr) << session->log.errors();
    trace.section("delete the network, configuration and builder");
    session.reset();
    trace.section("delete the caller's own plugin");
    own.reset();
    if (plan != nullptr) {
        runTraced(trace, log, *plan);
    }
    getPluginRegistry()->deregisterCreator(creator);
    for (int id = 0; id < trace.objects(); ++id) {
        EXPECT_EQ(trace.count("#" + std::to_string(id) + " delete"), 1) << "object " << id;
    }
    return trace.normalised();
}

std::string const kAdding = R"(== add the plugin
  #0 clone -> #1
== getDimensions of the output
  #1 getOutputShapes(in0 ? 8 ; 1 0 1)
  [-1,8]
== buildSerializedNetwork
  #1 clone -> #2
  #2 getOutputShapes(in0 ? 8 ; 1 0 1)
  #2 clone -> #3
)";

std::string question(int position, std::string const& type, bool taken,
                     std::string const& id = "3") {
    return "  #" + id + " supportsFormatCombination(" + std::to_string(position) +
           ", [-1,8]:" + type + ":f0 min[1,8] max[16,8] opt[4,8], in=1, out=1) -> " +
           (taken ? "1\n" : "0\n");
}

/// Descriptors of the input and the output, and the number of each.
std::string ranges(std::string const& type) {
    std::string const desc = "[-1,8]:" + type + ":f0 min[1,8] max[16,8]";
    return "in " + desc + "; out " + desc + "; 1 1";
}
std::string extents(std::string const& shape, std::string const& type) {
    std::string const desc = shape + ":" + type + ":f0";
    return "in " + desc + "; out " + desc + "; 1 1";
}

std::string configuring(std::string const& id, std::string const& type) {
    return "  #3 clone -> #" + id + "\n  #" + id + " configurePlugin(" + ranges(type) + ")\n  #" +
           id + " getWorkspaceSize(" + ranges(type) + ")\n";
}

/// The callbacks of one timed combination: the configured copy is attached, and its attached copy
/// runs.
std::string timing(std::string const& id, std::string const& attached, std::string const& type) {
    std::string const at = extents("[4,8]", type);
    std::string const own = "  #" + attached + " ";
    return configuring(id, type) + "  #" + id + " attachToContext(allocator given) -> #" +
           attached + "\n" + own + "setTactic(0)\n" + own + "onShapeChange(" + at + ")\n" + own +
           "enqueue(" + at + "; workspace given)\n" + own + "delete\n  #" + id + " delete\n";
}

std::string saving(std::string const& id, std::string const& type) {
    return configuring(id, type) + "  #3 delete\n  #2 delete\n  #" + id +
           " getFieldsToSerialize\n  #" + id + " delete\n" +
           "== delete the network, configuration and builder\n  #1 delete\n"
           "== delete the caller's own plugin\n  #0 delete\n";
}

/// The callbacks that check a plugin when its plan is opened.
std::string opening(std::string const& made, std::string const& asked, std::string const& type) {
    std::string const own = "  #" + asked + " ";
    return "  #" + made + " clone -> #" + asked + "\n" + own +
           "getOutputShapes(in0 ? 8 ; 1 0 1)\n" + question(0, type, true, asked) +
           question(1, type, true, asked) + own + "configurePlugin(" + ranges(type) + ")\n" + own +
           "getWorkspaceSize(" + ranges(type) + ")\n" + own + "delete\n";
}

/// The callbacks while the plan is in use: `made` is the engine's object, `asked` a copy of it,
/// `one` and `two` are those of its contexts.
std::string running(std::string const& made, std::string const& asked, std::string const& one,
                    std::string const& two, std::string const& type) {
    auto const change = [&](std::string const& shape) {
        return "  #" + one + " onShapeChange(" + extents(shape, type) + ")\n";
    };
    auto const enqueue = [&](std::string const& shape) {
        return "  #" + one + " enqueue(" + extents(shape, type) + "; workspace given)\n";
    };
    auto const context = [&](std::string const& id) {
        return "  #" + made + " attachToContext(allocator given) -> #" + id + "\n  #" + id +
               " setTactic(0)\n";
    };
    return "== deserializeCudaEngine\n"
           "  creator createPlugin '(Unnamed Layer* 0) [PluginV3]', kept=42, run time -> #" +
           made + "\n" + opening(made, asked, type) + "== createExecutionContext (1)\n" +
           context(one) + "== createExecutionContext (2)\n" + context(two) +
           "== setInputShape 4x8\n"
           "== enqueueV3\n" +
           change("[4,8]") + enqueue("[4,8]") + "== enqueueV3 again\n" + enqueue("[4,8]") +
           "== setInputShape 2x8, enqueueV3\n" + change("[2,8]") + enqueue("[2,8]") +
           "== setInputShape 2x8 again, enqueueV3\n" + enqueue("[2,8]") +
           "== setInputShape 17x8 (outside)\n"
           "== delete context 1\n  #" +
           one + " delete\n== delete context 2\n  #" + two + " delete\n== delete engine\n  #" +
           made + " delete\n== delete runtime\n== end\n";
}

TEST(TraceV3, OneTypeIsNotTimed) {
    std::string const expected = kAdding + question(0, "t0", true) + question(1, "t0", true) +
                                 saving("4", "t0") + running("5", "6", "7", "8", "t0");
    EXPECT_EQ(record(false, DataType::kHALF, false), expected);
}

std::string allQuestions() {
    return question(0, "t0", true) + question(1, "t0", true) + question(1, "t1", false) +
           question(0, "t1", true) + question(1, "t0", false) + question(1, "t1", true);
}

TEST(TraceV3, TwoTypesAreTimedAndFloatIsChosen) {
    std::string const expected = kAdding + allQuestions() + timing("4", "5", "t0") +
                                 timing("6", "7", "t1") + saving("8", "t0") +
                                 running("9", "10", "11", "12", "t0");
    EXPECT_EQ(record(true, DataType::kHALF, true), expected);
}

TEST(TraceV3, TwoTypesAreTimedAndHalfIsChosen) {
    std::string const expected = kAdding + allQuestions() + timing("4", "5", "t0") +
                                 timing("6", "7", "t1") + saving("8", "t1") +
                                 running("9", "10", "11", "12", "t1");
    EXPECT_EQ(record(true, DataType::kFLOAT, true), expected);
}

} // namespace
} // namespace kiln::test
