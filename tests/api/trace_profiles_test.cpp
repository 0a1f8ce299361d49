// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Callbacks of plugins in an engine with two optimization profiles, in order. Plugins are
// configured for each profile, and get their shapes again when a context selects another profile.
// The expected texts are written from the documented life cycle.
#include <string>

#include <gtest/gtest.h>

#include "support/session.h"
#include "support/trace_program.h"
#include "support/traced_v2.h"
#include "support/traced_v3.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

void addProfile(Session& session, int64_t min, int64_t opt, int64_t max) {
    IOptimizationProfile* const profile = session.builder->createOptimizationProfile();
    profile->setDimensions("x", OptProfileSelector::kMIN, Dims2{min, 8});
    profile->setDimensions("x", OptProfileSelector::kOPT, Dims2{opt, 8});
    profile->setDimensions("x", OptProfileSelector::kMAX, Dims2{max, 8});
    session.config->addOptimizationProfile(profile);
}

/// Records a build, opening, and a context that runs under profiles 0, 1 and 0.
template <typename Add>
std::string record(Trace& trace, Add&& add) {
    RecordingLogger log;
    auto session = std::make_unique<Session>();
    ITensor& x = session->input("x", {-1, 8});
    ITensor* const inputs[] = {&x};
    session->output(*add(*session->network, inputs)->getOutput(0), "y");
    addProfile(*session, 1, 2, 4);
    addProfile(*session, 8, 12, 16);
    trace.section("build");
    auto const plan = session->build();
    EXPECT_NE(plan, nullptr) << session->log.errors();
    session.reset();
    if (plan == nullptr) {
        return {};
    }
    std::unique_ptr<IRuntime> runtime(createInferRuntime(log));
    trace.section("open");
    std::unique_ptr<ICudaEngine> engine(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    EXPECT_NE(engine, nullptr) << log.errors();
    trace.section("context");
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    std::vector<float> memory(128);
    EXPECT_TRUE(context->setTensorAddress("x", memory.data()));
    EXPECT_TRUE(context->setTensorAddress("y", memory.data()));
    for (int32_t const profile : {0, 1, 0}) {
        trace.section("profile " + std::to_string(profile));
        EXPECT_TRUE(context->setOptimizationProfileAsync(profile, nullptr));
        EXPECT_TRUE(context->setInputShape("x", Dims2{profile == 0 ? 4 : 8, 8}));
        EXPECT_TRUE(context->enqueueV3(nullptr)) << log.errors();
    }
    trace.section("end");
    return trace.normalised();
}

std::string range(bool second) {
    std::string const bounds = second ? " min[8,8] max[16,8]" : " min[1,8] max[4,8]";
    std::string const desc = "[-1,8]:t0:f0" + bounds;
    return "in " + desc + "; out " + desc + "; 1 1";
}
std::string real(std::string const& shape) {
    std::string const desc = shape + ":t0:f0";
    return "in " + desc + "; out " + desc;
}

TEST(TraceProfiles, V3) {
    Trace trace;
    TracedV3Creator creator(trace);
    ASSERT_TRUE(getPluginRegistry()->registerCreator(creator, ""));
    TracedV3 own(trace, false, DataType::kHALF);
    std::string const text = record(trace, [&](auto& network, ITensor* const* x) {
        return network.addPluginV3(x, 1, nullptr, 0, own);
    });
    getPluginRegistry()->deregisterCreator(creator);
    auto const configured = [](std::string const& id, std::string const& of, bool second) {
        return "  #" + of + " clone -> #" + id + "\n  #" + id + " configurePlugin(" +
               range(second) + ")\n  #" + id + " getWorkspaceSize(" + range(second) + ")\n";
    };
    EXPECT_NE(text.find(configured("4", "3", false) + configured("5", "3", true)),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  #4 getFieldsToSerialize\n  #5 getFieldsToSerialize\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(configured("8", "6", true) + "  #8 delete\n"), std::string::npos) << text;
    auto const run = [](std::string const& shape) {
        return "  #9 onShapeChange(" + real(shape) + "; 1 1)\n  #9 enqueue(" + real(shape) +
               "; 1 1; workspace given)\n";
    };
    EXPECT_NE(text.find("== context\n  #6 attachToContext(allocator given) -> #9\n"
                        "  #9 setTactic(0)\n== profile 0\n" +
                        run("[4,8]") + "== profile 1\n" + run("[8,8]") + "== profile 0\n" +
                        run("[4,8]") + "== end\n"),
              std::string::npos)
        << text;
}

TEST(TraceProfiles, V2) {
    Trace trace;
    TracedV2Creator creator(trace);
    auto& known = static_cast<IPluginCreatorInterface&>(creator);
    ASSERT_TRUE(getPluginRegistry()->registerCreator(known, ""));
    auto* const own = new TracedV2(trace, {});
    std::string const text = record(
        trace, [&](auto& network, ITensor* const* x) { return network.addPluginV2(x, 1, *own); });
    own->destroy();
    getPluginRegistry()->deregisterCreator(known);
    auto const configured = [](std::string const& id, std::string const& of, bool second) {
        std::string const most = real(second ? "[16,8]" : "[4,8]");
        return "  #" + of + " clone -> #" + id + "\n  #" + id + " configurePlugin(" +
               range(second) + ")\n  #" + id + " getWorkspaceSize(" + most + ")\n";
    };
    EXPECT_NE(text.find(configured("4", "3", false) + configured("5", "3", true)),
              std::string::npos)
        << text;
    auto const saved = [](std::string const& id) {
        return "  #" + id + " getSerializationSize\n  #" + id + " serialize\n  #" + id +
               " terminate\n";
    };
    EXPECT_NE(text.find(saved("4") + "  #5 initialize\n" + saved("5")), std::string::npos) << text;
    EXPECT_NE(text.find(configured("8", "6", true) + "  #8 destroy\n  #6 initialize\n"),
              std::string::npos)
        << text;
    auto const run = [](std::string const& shape) {
        std::string const desc = shape + ":t0:f0 min" + shape + " max" + shape;
        return "  #9 configurePlugin(in " + desc + "; out " + desc + "; 1 1)\n  #9 enqueue(" +
               real(shape) + "; workspace given)\n";
    };
    EXPECT_NE(text.find("== profile 0\n" + run("[4,8]") + "== profile 1\n" + run("[8,8]") +
                        "== profile 0\n" + run("[4,8]") + "== end\n"),
              std::string::npos)
        << text;
}

} // namespace
} // namespace kiln::test
