// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timing.h"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "target/backend_registry.h"

namespace kiln::compiler {
namespace {

/// A kernel of one constant and one output that sleeps for 0.1 ms, or 30 ms in its first runs or
/// while it is slow.
class Sleeper final : public target::KernelInstance {
public:
    explicit Sleeper(int32_t slowRuns) : slowRuns_(slowRuns) {}

    void reshape(std::span<Dims const>, std::span<Dims const>) override {}
    target::Launch launch() override { return {&Sleeper::run, this}; }

    std::set<void const*> constants;
    float* output = nullptr;
    int32_t runs = 0;
    bool slow = false;

private:
    static int32_t run(void* state, target::KernelCall const& call, target::StreamHandle) noexcept {
        auto& own = *static_cast<Sleeper*>(state);
        own.constants.insert(call.inputs[0]);
        own.output = static_cast<float*>(call.outputs[0]);
        std::this_thread::sleep_for(
            std::chrono::microseconds(own.slow || own.runs < own.slowRuns_ ? 30000 : 100));
        ++own.runs;
        return 0;
    }

    int32_t slowRuns_;
};

class TimerTest : public testing::Test {
protected:
    TimerTest()
        : cpu_(target::BackendRegistry::instance().open("cpu")),
          program_(pool_, cpu_, cpu_.device(), options_) {}

    /// A constant of the program.
    target::OperandSpec constantOf(int64_t count) {
        Bytes const& bytes =
            kept_.emplace_back(static_cast<std::size_t>(count) * sizeof(float), std::byte{0});
        Value value;
        value.role = plan::TensorRole::kConstant;
        value.recipe = target::Recipe::source("w", {}, target::Elements(ByteView(bytes)));
        program_.addValue(std::move(value));
        Dims const dims = makeDims({count});
        return {{}, dims, dims, dims, true, bytes};
    }
    static target::OperandSpec output() {
        Dims const dims = makeDims({1});
        return {{}, dims, dims, dims, false, {}};
    }
    double secondsOf(Sleeper& kernel, target::OperandSpec const& constant) {
        target::OperandSpec const result = output();
        return timeInstance(program_, kernel, {&constant, 1}, {&result, 1}, 0);
    }

    graph::ExprPool pool_;
    target::Backend& cpu_;
    Options options_;
    Program program_;
    std::deque<Bytes> kept_;
};

constexpr int64_t kCount = 64 << 10; // 256 KiB

TEST_F(TimerTest, CandidatesShareMemory) {
    target::OperandSpec const constant = constantOf(kCount);
    target::OperandSpec const result = output();
    OperandMemory memory(program_);
    Sleeper first(0);
    Timer one(program_, first, {&constant, 1}, {&result, 1}, 64, &memory);
    one.measure();
    *first.output = 1.0F;
    Sleeper second(0);
    Timer other(program_, second, {&constant, 1}, {&result, 1}, 128, &memory);
    other.measure();
    EXPECT_EQ(second.output, first.output);
    EXPECT_EQ(*second.output, 0.0F); // as if it were alone
    EXPECT_EQ(first.constants, second.constants);
    EXPECT_EQ(one.bytes() - one.ownBytes(), 64 + sizeof(float));
    one.again(); // its workspace was too small for the other
    EXPECT_GT(one.seconds(), 0.0);
}

TEST_F(TimerTest, ConstantsAreSharedWhileTheyAreHeld) {
    Bytes const elements(100, std::byte{1});
    OperandMemory memory(program_);
    OperandMemory::Buffer const first = memory.constant(elements, 0);
    OperandMemory::Buffer const copy = memory.constant(elements, 1);
    EXPECT_EQ(memory.constant(elements, 0), first);
    EXPECT_NE(copy, first);
    EXPECT_EQ(std::memcmp(copy->data(), elements.data(), elements.size()), 0);
}

TEST_F(TimerTest, ThoseWhoShareMemoryUseItAfterItGrows) {
    OperandMemory memory(program_);
    memory.take(0, 100);
    void* const large = memory.take(0, 1000);
    EXPECT_EQ(memory.at(0), large);
    EXPECT_EQ(memory.take(0, 100), large);
    EXPECT_NE(memory.take(1, 100), large);
    EXPECT_EQ(memory.bytes(), 1100);
    memory.clear();
    EXPECT_EQ(memory.bytes(), 0);

    target::OperandSpec const constant = constantOf(1);
    target::OperandSpec result = output();
    Sleeper first(0);
    Timer one(program_, first, {&constant, 1}, {&result, 1}, 0, &memory);
    result.opt = result.max = makeDims({kCount});
    Sleeper second(0);
    Timer const other(program_, second, {&constant, 1}, {&result, 1}, 0, &memory);
    one.again();
    EXPECT_EQ(first.output, second.output);
}

TEST_F(TimerTest, TheTimeIsTheLeastOfManyRuns) {
    Sleeper kernel(2);
    double const seconds = secondsOf(kernel, constantOf(kCount));
    EXPECT_GE(seconds, 100e-6);
    EXPECT_LT(seconds, 30e-3);
    EXPECT_GE(kernel.runs, 3);
}

TEST_F(TimerTest, ThereAreNoMoreRunsThanAskedFor) {
    options_.timingRuns = 2;
    Sleeper kernel(0);
    secondsOf(kernel, constantOf(kCount));
    EXPECT_EQ(kernel.runs, 3); // one warms up
}

TEST_F(TimerTest, ConstantsAreReadFromSeveralPlacesIfOthersWouldReplaceThem) {
    target::OperandSpec const constant = constantOf(kCount);
    Sleeper alone(0);
    secondsOf(alone, constant);
    EXPECT_EQ(alone.constants.size(), 1U);
    constantOf(10 * kCount);
    Sleeper amongOthers(0);
    secondsOf(amongOthers, constant);
    bool const knowsCaches = sysconf(_SC_LEVEL2_CACHE_SIZE) > kCount * 4;
    EXPECT_EQ(amongOthers.constants.size() > 1, knowsCaches);
}

TEST_F(TimerTest, SmallAndVeryLargeConstantsHaveOnePlace) {
    constantOf(10 * kCount);
    for (int64_t const count : {int64_t{100}, int64_t{8} << 20}) {
        target::OperandSpec const constant = constantOf(count);
        Sleeper kernel(0);
        secondsOf(kernel, constant);
        EXPECT_EQ(kernel.constants.size(), 1U) << count;
    }
}

TEST_F(TimerTest, RunsInTurnsMayLowerTheTime) {
    Sleeper kernel(0);
    kernel.slow = true;
    target::OperandSpec const constant = constantOf(kCount);
    target::OperandSpec const result = output();
    Timer timer(program_, kernel, {&constant, 1}, {&result, 1}, 0);
    timer.measure();
    EXPECT_GE(timer.seconds(), 30e-3);
    EXPECT_GE(timer.bytes(), uint64_t{kCount} * sizeof(float));
    kernel.slow = false;
    timer.again();
    EXPECT_LT(timer.seconds(), 30e-3);
}

} // namespace
} // namespace kiln::compiler
