// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Packed weights, threads, and records that no build of an engine wrote.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

#include "base/parallel.h"
#include "target/backend_registry.h"
#include "targets/cpu/onednn/onednn_fixture.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;
using testing::Not;

target::Backend& cpu() {
    return target::BackendRegistry::instance().open("cpu");
}

/// A convolution in channels-last with its weights packed, as a plan has it.
struct Packed {
    Values x =
        inFormat(randomTensor(DataType::kFLOAT, makeDims({2, 64, 14, 14})), TensorFormat::kHWC);
    Values kernel = asConstant(randomTensor(DataType::kFLOAT, makeDims({64, 64, 3, 3}), -0.2, 0.2));
    Values output;
    std::unique_ptr<graph::Convolution> op = convolutionOf(64, makeDims({3, 3}), makeDims({1, 1}));
    target::KernelRecord record;
    Bytes weights;
    std::vector<double> expected;

    Packed() {
        output = inFormat(inferredOutput(*op, {x, kernel}), TensorFormat::kHWC);
        std::vector<Values> const operands{x, kernel};
        auto const in = specsOf(operands);
        auto const out = specsOf(std::span(&output, 1));
        for (target::Candidate const& candidate : cpu().candidates({*op, "test", in, out})) {
            if (candidate.kernel == "convolution_onednn") {
                EXPECT_EQ(candidate.refusal, "");
                record = recordOf(*op, candidate.kernel, operands, std::span(&output, 1));
                record.code = candidate.compile();
            }
        }
        auto const packs = cpu().packs(record);
        EXPECT_EQ(packs.size(), 1U);
        EXPECT_EQ(packs.at(0).operand, 1U);
        Bytes const plain = encoded(kernel);
        weights = cpu().pack(record, 1, {plain.data(), plain.data(), plain.size(), kernel.dims});
        EXPECT_EQ(weights,
                  cpu().pack(record, 1, {plain.data(), nullptr, plain.size(), kernel.dims}));
        record.inputs[1].tag = packs.at(0).tag;
        expected = plainConvolution(*op, x, kernel, output.dims);
    }

    std::vector<target::ConstantOperand> constants() const {
        return {{}, {weights.data(), weights.data(), weights.size(), kernel.dims}};
    }
    std::unique_ptr<target::KernelInstance> instance(target::Kernel const& loaded) const {
        auto made = loaded.instantiate();
        std::vector<Dims> const dims{x.dims, kernel.dims};
        made->reshape(dims, std::span(&output.dims, 1));
        return made;
    }
};

/// Launches an instance any number of times.
class Runner {
public:
    Runner(Packed const& test, target::KernelInstance& instance)
        : test_(test), instance_(instance), input_(channelsLast(test.x)),
          output_(test.expected.size()), workspace_(instance.workspaceBytes({}, {}) + 64) {}

    int32_t run() {
        void const* inputs[] = {input_.data(), test_.weights.data()};
        void* outputs[] = {output_.data()};
        target::Launch const launch = instance_.launch();
        return launch.run(launch.state, {inputs, outputs, workspace_.data()}, nullptr);
    }
    bool isRight() const {
        Dims const& d = test_.output.dims;
        for (int64_t i = 0; i < static_cast<int64_t>(output_.size()); ++i) {
            int64_t const plane = d.d[2] * d.d[3];
            int64_t const channel = i / plane % d.d[1];
            int64_t const place = (i / plane / d.d[1] * plane + i % plane) * d.d[1] + channel;
            if (std::abs(output_[static_cast<std::size_t>(place)] -
                         test_.expected[static_cast<std::size_t>(i)]) > 1e-3) {
                return false;
            }
        }
        return true;
    }
    void clear() { std::fill(output_.begin(), output_.end(), 0.0F); }

private:
    static std::vector<float> channelsLast(Values const& x) {
        int64_t const plane = x.dims.d[2] * x.dims.d[3];
        std::vector<float> placed(x.data.size());
        for (int64_t i = 0; i < static_cast<int64_t>(placed.size()); ++i) {
            int64_t const channel = i / plane % x.dims.d[1];
            int64_t const at =
                (i / plane / x.dims.d[1] * plane + i % plane) * x.dims.d[1] + channel;
            placed[static_cast<std::size_t>(at)] =
                static_cast<float>(x.data[static_cast<std::size_t>(i)]);
        }
        return placed;
    }

    Packed const& test_;
    target::KernelInstance& instance_;
    std::vector<float> input_;
    std::vector<float> output_;
    std::vector<std::byte> workspace_;
};

class OnednnKernel : public Onednn {
protected:
    void TearDown() override { setThreadCount(0); }
};

TEST_F(OnednnKernel, FollowsTheLimitOfThreads) {
    Packed const test;
    auto const kernel = cpu().load(test.record, test.constants());
    auto const instance = test.instance(*kernel);
    Runner runner(test, *instance);
    for (int32_t const threads : {1, 4, 2, 3, 1}) {
        setThreadCount(threads);
        for (int i = 0; i < 5; ++i) {
            runner.clear();
            ASSERT_EQ(runner.run(), 0) << instance->failureText();
            ASSERT_TRUE(runner.isRight()) << threads << " threads";
        }
    }
}

TEST_F(OnednnKernel, NoNumberOfThreadsNeedsAReference) {
    Packed const test;
    auto const kernel = cpu().load(test.record, test.constants());
    auto const instance = test.instance(*kernel);
    Runner runner(test, *instance);
    for (int32_t threads = 1; threads <= 16; ++threads) {
        setThreadCount(threads);
        ASSERT_EQ(runner.run(), 0);
        auto const start = std::chrono::steady_clock::now();
        ASSERT_EQ(runner.run(), 0);
        // The reference takes more than a second, any other implementation less than a millisecond.
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500))
            << threads << " threads";
        EXPECT_TRUE(runner.isRight()) << threads << " threads";
    }
}

TEST_F(OnednnKernel, BringsNoOpenMp) {
    setThreadCount(2);
    Packed const test;
    auto const kernel = cpu().load(test.record, test.constants());
    auto const instance = test.instance(*kernel);
    Runner runner(test, *instance);
    ASSERT_EQ(runner.run(), 0);
    std::ifstream maps("/proc/self/maps");
    std::string const text(std::istreambuf_iterator<char>(maps), {});
    EXPECT_THAT(text, HasSubstr("/libkdnnl.so"));
    EXPECT_THAT(text, Not(HasSubstr("omp.so.1")));
}

TEST_F(OnednnKernel, ManyContextsAtOnce) {
    setThreadCount(3);
    Packed const test;
    auto const kernel = cpu().load(test.record, test.constants());
    std::vector<std::thread> callers;
    std::atomic<int> right{0};
    for (int i = 0; i < 20; ++i) { // more than the pool has places for loops
        callers.emplace_back([&] {
            auto const instance = test.instance(*kernel);
            Runner runner(test, *instance);
            bool good = true;
            for (int run = 0; run < 10; ++run) {
                runner.clear();
                good = runner.run() == 0 && runner.isRight() && good;
            }
            right += good ? 1 : 0;
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
    EXPECT_EQ(right, 20);
}

TEST_F(OnednnKernel, RunsInAForkedChild) {
    setThreadCount(2);
    Packed const test;
    auto const kernel = cpu().load(test.record, test.constants());
    auto const instance = test.instance(*kernel);
    Runner runner(test, *instance);
    ASSERT_EQ(runner.run(), 0);
    runner.clear();
    pid_t const child = fork();
    if (child == 0) {
        alarm(20);
        _exit(runner.run() == 0 && runner.isRight() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

TEST_F(OnednnKernel, OtherShapesUseTheSameWeights) {
    Packed const test;
    auto const kernel = cpu().load(test.record, test.constants());
    auto const instance = kernel->instantiate();
    for (int64_t const extent : {1, 7, 30, 14}) {
        std::vector<Dims> const dims{makeDims({2, 64, extent, 14}), test.kernel.dims};
        Dims const output = makeDims({2, 64, extent, 14});
        instance->reshape(dims, std::span(&output, 1));
    }
    Runner runner(test, *instance);
    ASSERT_EQ(runner.run(), 0);
    EXPECT_TRUE(runner.isRight());
}

std::string problemOf(Packed const& test, target::KernelRecord const& record,
                      std::vector<target::ConstantOperand> const& constants) {
    try {
        auto const kernel = cpu().load(record, constants);
        static_cast<void>(test.instance(*kernel));
    } catch (Error const& error) {
        return error.what();
    }
    return "none";
}

TEST_F(OnednnKernel, HostileRecipes) {
    Packed const test;
    auto const with = [&](std::size_t at, auto value, bool tagToo = false) {
        target::KernelRecord record = test.record;
        std::memcpy(record.code.data() + at, &value, sizeof(value));
        if (tagToo) {
            record.inputs[1].tag = static_cast<uint16_t>(value);
        }
        return problemOf(test, record, test.constants());
    };
    EXPECT_EQ(problemOf(test, test.record, test.constants()), "none");
    EXPECT_THAT(with(0, uint32_t{3001}),
                HasSubstr("expected weights packed for oneDNN 3.2, got them for 3.1"));
    EXPECT_THAT(with(4, uint16_t{1}, true), HasSubstr("expected an order, got number 1"));
    for (uint32_t tag = 2; tag < 1200; ++tag) { // no other order is read out of bounds
        if (tag != test.record.inputs[1].tag) {
            std::string const problem = with(4, static_cast<uint16_t>(tag), true);
            EXPECT_TRUE(problem == "none" || problem.starts_with("[")) << tag << ": " << problem;
        }
    }
    EXPECT_THAT(with(4, uint16_t{65000}, true), HasSubstr("expected an order of 4 dimensions"));
    EXPECT_THAT(with(4, uint16_t{0}), HasSubstr("expected elements in the order 0"));
    EXPECT_THAT(with(14, int32_t{0}), HasSubstr("expected the place of the channels"));
    target::KernelRecord record = test.record;
    int32_t const scale = 0; // of a kernel without a product in front, in runs of one weight
    int64_t const one = 1;
    std::memcpy(record.code.data() + 14, &scale, sizeof(scale));
    std::memcpy(record.code.data() + 18, &one, sizeof(one));
    std::memcpy(record.code.data() + 26, &one, sizeof(one));
    EXPECT_THAT(problemOf(test, record, test.constants()),
                HasSubstr("expected a factor of the product in front"));
    record = test.record;
    record.code.resize(7);
    EXPECT_THAT(problemOf(test, record, test.constants()), HasSubstr("more bytes at offset"));
    record.code.clear();
    EXPECT_THAT(problemOf(test, record, test.constants()), HasSubstr("more bytes at offset"));
}

TEST_F(OnednnKernel, HostileConstants) {
    Packed const test;
    auto constants = test.constants();
    constants[1].bytes -= 4;
    EXPECT_THAT(problemOf(test, test.record, constants),
                HasSubstr("[plan] weights of a kernel of oneDNN: expected 147456 bytes for "
                          "[64,64,3,3], got 147452"));
    constants[1] = {};
    EXPECT_THAT(problemOf(test, test.record, constants),
                HasSubstr("input 1: expected packed weights, got no constant"));
    target::KernelRecord record = test.record;
    record.inputs[1].tag = 0;
    EXPECT_THAT(problemOf(test, record, test.constants()), HasSubstr("got 0"));
}

TEST_F(OnednnKernel, HostileOperands) {
    Packed const test;
    target::KernelRecord record = test.record;
    record.inputs[0].type = DataType::kINT32;
    EXPECT_THAT(problemOf(test, record, test.constants()),
                HasSubstr("expected inputs of the output's type, float32, got int32"));
    record = test.record;
    record.inputs.pop_back();
    EXPECT_THAT(problemOf(test, record, {{}}), HasSubstr("expected weights among its inputs"));
    record = test.record;
    record.inputs[0].format = TensorFormat::kCHW32;
    EXPECT_THAT(problemOf(test, record, test.constants()), HasSubstr("expected format"));
}

} // namespace
} // namespace kiln::test
