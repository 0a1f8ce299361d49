// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/backend.h"

#include "targets/cpu/device.h"

#include <cstring>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include "base/error_matchers.h"
#include "graph/ops/constant.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/softmax.h"
#include "targets/cpu/kernel_fixture.h"
#include "targets/cpu/processor.h"
#include "targets/cpu/readable.h"

#if defined(__SANITIZE_ADDRESS__)
// One test here provokes a failed allocation; by default the sanitizer ends the program then.
extern "C" __attribute__((visibility("default"))) char const* __asan_default_options() {
    return "allocator_may_return_null=1";
}
#endif

namespace kiln::targets::cpu {
namespace {

using test::errorOf;
using testing::HasSubstr;

target::OperandSpec operand(DataType type, Dims const& dims,
                            TensorFormat format = TensorFormat::kLINEAR) {
    return {{type, format}, dims, dims, dims, false, {}, nullptr};
}

target::KernelRecord recordOf(graph::Op const& op, std::string const& kernel, std::size_t inputs) {
    ByteWriter writer;
    op.save(writer);
    target::KernelRecord record;
    record.kernel = kernel;
    record.op = op.kind();
    record.parameters = writer.take();
    record.inputs.resize(inputs);
    record.outputs.resize(1);
    return record;
}

class CpuBackendTest : public testing::Test {
protected:
    CpuBackend cpu;
    CpuDevice& device = CpuDevice::instance();
};

TEST_F(CpuBackendTest, MemoryIsAlignedAndEmptyMemoryHasAnAddress) {
    for (std::size_t const alignment : {1U, 8U, 64U, 4096U}) {
        void* const memory = device.allocate(100, alignment, "a test");
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
        device.fill(memory, 0x5A, 100, nullptr);
        EXPECT_EQ(static_cast<uint8_t*>(memory)[99], 0x5A);
        device.release(memory);
    }
    void* const empty = device.allocate(0, 64, "a test");
    EXPECT_NE(empty, nullptr);
    device.release(empty);
    device.release(nullptr);
}

TEST_F(CpuBackendTest, TooMuchMemoryIsAnErrorWithTheSize) {
    EXPECT_THAT(
        errorOf(ErrorKind::kOutOfMemory, [&] { device.allocate(SIZE_MAX - 10, 64, "a test"); }),
        HasSubstr("cannot allocate 18446744073709551605 bytes"));
    EXPECT_THAT(
        errorOf(ErrorKind::kOutOfMemory, [&] { device.allocate(SIZE_MAX / 2, 64, "a test"); }),
        HasSubstr("cannot allocate"));
}

TEST_F(CpuBackendTest, CopiesAndSeesNullPointers) {
    int32_t const from = 7;
    int32_t to = 0;
    device.copy(&to, &from, sizeof(to), target::CopyKind::kHostToDevice, nullptr);
    EXPECT_EQ(to, 7);
    device.copy(nullptr, nullptr, 0, target::CopyKind::kDeviceToDevice, nullptr);
    EXPECT_EQ(device.pointerProblem(&to), "");
    EXPECT_EQ(device.pointerProblem(nullptr), "it is null");
    EXPECT_TRUE(cpu.readsHostMemory());
}

TEST(Readable, TellsMappedMemoryFromOther) {
    int32_t const here = 7;
    EXPECT_TRUE(canRead(&here));
    EXPECT_FALSE(canRead(reinterpret_cast<void*>(std::uintptr_t{64})));
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    auto* const memory = static_cast<std::byte*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
    EXPECT_TRUE(canRead(memory + page - 1)) << "the last byte of a page";
    EXPECT_FALSE(canRead(memory + page)) << "reserved, as the addresses of a GPU are";
    munmap(memory, 2 * page);
}

TEST_F(CpuBackendTest, EventsMeasureTime) {
    target::EventHandle const start = device.createEvent();
    target::EventHandle const stop = device.createEvent();
    device.record(start, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    device.record(stop, nullptr);
    EXPECT_GE(device.elapsedMs(start, stop), 5.0F);
    EXPECT_LT(device.elapsedMs(start, stop), 5000.0F);
    device.destroyEvent(start);
    device.destroyEvent(stop);
}

TEST_F(CpuBackendTest, CandidatesEndWithTheReference) {
    graph::SoftMax op;
    op.axes = 2;
    std::vector const spec{operand(DataType::kFLOAT, makeDims({2, 3}))};
    auto const candidates = cpu.candidates({op, "s", spec, spec});
    ASSERT_FALSE(candidates.empty());
    EXPECT_EQ(candidates.back().kernel, "softmax_reference");
    EXPECT_TRUE(candidates.back().offered());
    EXPECT_GT(candidates.back().estimatedSeconds, 0.0);
    EXPECT_TRUE(cpu.candidates({graph::Constant{}, "c", {}, {}}).empty());
}

TEST_F(CpuBackendTest, RefusalsSayWhy) {
    graph::SoftMax op;
    op.axes = 2;
    std::vector const linear{operand(DataType::kFLOAT, makeDims({2, 3}))};
    std::vector const packed{operand(DataType::kFLOAT, makeDims({2, 3}), TensorFormat::kCHW32)};
    std::vector const whole{operand(DataType::kINT32, makeDims({2, 3}))};
    for (auto const& candidate : cpu.candidates({op, "s", packed, linear})) {
        EXPECT_EQ(candidate.refusal,
                  "expected all operands linear or all with dense channels last, "
                  "got chw32, linear");
    }
    for (auto const& candidate : cpu.candidates({op, "s", linear, packed})) {
        EXPECT_EQ(candidate.refusal,
                  "expected all operands linear or all with dense channels last, "
                  "got linear, chw32");
    }
    for (auto const& candidate : cpu.candidates({op, "s", whole, whole})) {
        EXPECT_EQ(candidate.refusal, "expected input 0 of float32, float16 or bfloat16, got int32");
    }
}

TEST_F(CpuBackendTest, UnknownKernelsAndParametersAreRefused) {
    graph::SoftMax const op;
    std::vector<target::ConstantOperand> const none(1);
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [&] { cpu.load(recordOf(op, "softmax_magic", 1), none); }),
        HasSubstr("kernel 'softmax_magic' of operation 'SoftMax' is unknown"));
    target::KernelRecord record = recordOf(op, "softmax_reference", 1);
    record.parameters.pop_back();
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { cpu.load(record, none); }),
                HasSubstr("SoftMax"));
}

TEST_F(CpuBackendTest, ShapesThatDoNotFitAreRefusedBeforeMemoryIsTouched) {
    graph::ElementWise const op;
    std::vector<target::ConstantOperand> const none(2);
    auto const kernel = cpu.load(recordOf(op, "elementwise_reference", 2), none);
    auto const instance = kernel->instantiate();
    auto const reshape = [&](std::vector<Dims> const& in, std::vector<Dims> const& out) {
        return errorOf(ErrorKind::kInvalidArgument, [&] { instance->reshape(in, out); });
    };
    EXPECT_THAT(reshape({makeDims({3}), makeDims({4})}, {makeDims({4})}),
                HasSubstr("[shape] ElementWise, dimension 0: expected equal extents or 1, got 3 "
                          "and 4"));
    EXPECT_THAT(reshape({makeDims({3}), makeDims({3})}, {makeDims({5})}),
                HasSubstr("[shape] ElementWise, output 0: expected float32 [3], got float32 [5]"));
    EXPECT_THAT(reshape({makeDims({3})}, {makeDims({3})}),
                HasSubstr("expected shapes of 2 inputs and 1 outputs, got 1 and 1"));
    EXPECT_THAT(reshape({makeDims({-3}), makeDims({-3})}, {makeDims({-3})}),
                HasSubstr("expected every extent to be 0 or more, got [-3]"));
    std::vector<Dims> const good{makeDims({3}), makeDims({3})};
    instance->reshape(good, std::span(good).first(1));
}

TEST_F(CpuBackendTest, TypesThatDoNotFitAreRefused) {
    graph::ElementWise const op;
    std::vector<target::ConstantOperand> const none(2);
    target::KernelRecord record = recordOf(op, "elementwise_reference", 2);
    record.inputs[1].type = DataType::kINT8; // one byte per element where the kernel reads four
    std::vector<Dims> const dims{makeDims({3}), makeDims({3})};
    auto const kernel = cpu.load(record, none);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { kernel->instantiate()->reshape(dims, std::span(dims).first(1)); }),
                HasSubstr("expected input 1 to be float32 like input 0, got int8"));
    record.inputs[1] = {};
    record.outputs[0].format = TensorFormat::kHWC8;
    auto const packed = cpu.load(record, none);
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported,
                        [&] { packed->instantiate()->reshape(dims, std::span(dims).first(1)); }),
                HasSubstr("expected all operands linear or all with dense channels last"));
}

TEST(Processor, PlansSayWhatTheyNeed) {
    EXPECT_FALSE(processorName().empty());
    EXPECT_GT(physicalMemoryBytes(), 0U);
    EXPECT_EQ(architectureProblem("any"), "");
    EXPECT_EQ(architectureProblem(baselineArchitecture()), "");
    EXPECT_EQ(architectureProblem(processorArchitecture()), "");
    EXPECT_THAT(architectureProblem("x86-64-v9"),
                HasSubstr("it needs x86-64-v9, this machine has"));
    EXPECT_THAT(architectureProblem("sm_90"), HasSubstr("it needs sm_90"));
}

} // namespace
} // namespace kiln::targets::cpu
