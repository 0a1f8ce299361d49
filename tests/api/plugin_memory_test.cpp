// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that plugins get: a workspace apart from live tensors, and a reused arena.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

/// A chain of `length` plugins between x [n] and y.
ITensor& chain(Session& session, Script& script, Style style, ITensor& x, int length) {
    ITensor* tensor = &x;
    for (int i = 0; i < length; ++i) {
        tensor = addScripted(*session.network, script, style, {tensor})->getOutput(0);
    }
    return *tensor;
}

bool overlap(void const* a, std::size_t aBytes, void const* b, std::size_t bBytes) {
    auto const first = reinterpret_cast<uintptr_t>(a);
    auto const second = reinterpret_cast<uintptr_t>(b);
    return first < second + bBytes && second < first + aBytes;
}

class PluginMemory : public testing::TestWithParam<Style> {
protected:
    std::unique_ptr<Running> open(Session& session) {
        if (GetParam() == Style::kV2) {
            v2 = std::make_unique<ScriptedV2Creator>(script);
        } else {
            v3 = std::make_unique<ScriptedV3Creator>(script);
        }
        std::unique_ptr<IHostMemory> const plan = session.build();
        EXPECT_NE(plan, nullptr) << session.log.errors();
        return plan == nullptr ? nullptr : std::make_unique<Running>(session.log, *plan);
    }

    Script script;
    std::unique_ptr<ScriptedV2Creator> v2;
    std::unique_ptr<ScriptedV3Creator> v3;
};

INSTANTIATE_TEST_SUITE_P(BothStyles, PluginMemory, testing::Values(Style::kV2, Style::kV3),
                         [](auto const& info) { return nameOf(info.param); });

TEST_P(PluginMemory, WorkspaceIsBigEnoughAndApartFromTensors) {
    // As many bytes as the input has at its largest shape, 400; all of them are written.
    script.workspace = [](auto const& in, auto const&) {
        EXPECT_EQ(str(in[0].dims), "[100]");
        return static_cast<std::size_t>(volumeOf(in[0].dims)) * 4;
    };
    int runs = 0;
    script.work = [&](Call const& call) {
        std::size_t const bytes = bytesOf(call.in[0]);
        EXPECT_NE(call.workspace, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(call.workspace) % 64, 0U);
        EXPECT_FALSE(overlap(call.workspace, 400, call.inputs[0], bytes));
        EXPECT_FALSE(overlap(call.workspace, 400, call.outputs[0], bytes));
        EXPECT_FALSE(overlap(call.inputs[0], bytes, call.outputs[0], bytes));
        std::memset(call.workspace, 0xFF, 400);
        auto const* in = static_cast<float const*>(call.inputs[0]);
        for (std::size_t i = 0; i < bytes / 4; ++i) {
            static_cast<float*>(call.outputs[0])[i] = in[i] + 1.0F;
        }
        ++runs;
        return 0;
    };
    Session session;
    ITensor& x = session.input("x", {-1});
    session.range("x", {1}, {50}, {100});
    ITensor& a = chain(session, script, GetParam(), x, 2);
    ITensor& b = chain(session, script, GetParam(), a, 3);
    // `a` stays live during the three steps of `b`.
    session.output(*session.network->addElementWise(a, b, ElementWiseOperation::kSUM)->getOutput(0),
                   "y");
    std::unique_ptr<Running> const running = open(session);
    ASSERT_NE(running, nullptr);
    for (int64_t const extent : {100, 1, 37}) {
        ASSERT_TRUE(running->context->setInputShape("x", dims({extent})));
        std::vector<float> in(static_cast<std::size_t>(extent));
        std::iota(in.begin(), in.end(), 0.0F);
        std::vector<float> out;
        ASSERT_TRUE(running->run({{"x", &in}, {"y", &out}})) << session.log.errors();
        for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_EQ(out[i], 2 * in[i] + 7.0F) << i;
        }
    }
    EXPECT_EQ(runs, 15);
}

TEST_P(PluginMemory, NoWorkspaceIsNull) {
    script.work = [](Call const& call) {
        EXPECT_EQ(call.workspace, nullptr);
        return 0;
    };
    Session session;
    session.output(chain(session, script, GetParam(), session.input("x", {3}), 1), "y");
    std::unique_ptr<Running> const running = open(session);
    std::vector<float> x(3);
    std::vector<float> y;
    EXPECT_TRUE(running->run({{"x", &x}, {"y", &y}}));
    EXPECT_EQ(running->engine->getDeviceMemorySizeV2(), 0);
}

TEST_P(PluginMemory, ADeepChainNeedsTwoBuffers) {
    Session session;
    session.output(chain(session, script, GetParam(), session.input("x", {1000}), 20), "y");
    std::unique_ptr<Running> const running = open(session);
    int64_t const one = (1000 * 4 + 63) / 64 * 64;
    EXPECT_EQ(running->engine->getDeviceMemorySizeV2(), 2 * one);
    std::vector<float> x(1000, 3.0F);
    std::vector<float> y;
    EXPECT_TRUE(running->run({{"x", &x}, {"y", &y}}));
    EXPECT_EQ(y, x);
}

TEST_P(PluginMemory, WorkspaceLimitIsKept) {
    script.workspace = [](auto const&, auto const&) { return std::size_t{5000}; };
    Session session;
    session.config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 4999);
    session.output(chain(session, script, GetParam(), session.input("x", {3}), 1), "y");
    EXPECT_EQ(session.build(), nullptr);
    EXPECT_THAT(session.log.takeErrors(),
                HasSubstr("expected at most 4999 bytes of workspace, the plugin wants 5000. Raise "
                          "the limit of the workspace memory pool"));
    session.config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 5000);
    EXPECT_NE(session.build(), nullptr) << session.log.errors();
}

// The user's allocator allocates and frees the arena.
TEST_P(PluginMemory, UserAllocator) {
    class Counting final : public IGpuAllocator {
    public:
        void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags) noexcept override {
            ++given;
            return refuse ? nullptr : std::aligned_alloc(alignment, (size + 255) / 256 * 256);
        }
        bool deallocate(void* memory) noexcept override {
            ++taken;
            std::free(memory);
            return true;
        }
        int given = 0;
        int taken = 0;
        bool refuse = false;
    } allocator;
    Session session;
    session.output(chain(session, script, GetParam(), session.input("x", {8}), 3), "y");
    std::unique_ptr<Running> running = open(session);
    running->runtime->setGpuAllocator(&allocator);
    std::unique_ptr<IHostMemory> const plan(running->engine->serialize());
    std::unique_ptr<ICudaEngine> engine(
        running->runtime->deserializeCudaEngine(plan->data(), plan->size()));
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    EXPECT_EQ(allocator.given, 1);
    std::vector<float> x(8, 2.0F);
    std::vector<float> y(8);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    EXPECT_EQ(x, y);
    context.reset();
    EXPECT_EQ(allocator.taken, 1);
    allocator.refuse = true;
    EXPECT_EQ(engine->createExecutionContext(), nullptr);
    EXPECT_THAT(session.log.takeErrors(), HasSubstr("the user's allocator gave no memory for "));
}

} // namespace
} // namespace kiln::test
