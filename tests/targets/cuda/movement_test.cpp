// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What data movement kernels refuse, when plans are built and when they are opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/reformat.h"
#include "targets/cuda/backend.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::HasSubstr;

CudaBackend const& backendForBuilds() {
    static CudaBackend const cuda(target::parseTarget("cuda:sm_90"));
    return cuda;
}

target::OperandSpec operand(DataType type, TensorFormat format, Dims const& dims) {
    target::OperandSpec spec;
    spec.type = {type, format};
    spec.min = spec.opt = spec.max = dims;
    return spec;
}

target::OperandSpec linear(Dims const& dims) {
    return operand(DataType::kFLOAT, TensorFormat::kLINEAR, dims);
}

/// The reason why the first candidate is refused.
std::string refusal(graph::Op const& op, std::vector<target::OperandSpec> const& inputs,
                    target::OperandSpec const& output) {
    return backendForBuilds().candidates({op, "layer", inputs, {&output, 1}}).at(0).refusal;
}

std::unique_ptr<target::KernelInstance> loaded(target::KernelRecord const& record) {
    // Kernels must outlive their instances.
    static std::vector<std::unique_ptr<target::Kernel>> kept;
    std::vector<target::ConstantOperand> const none(record.inputs.size());
    kept.push_back(backendForBuilds().load(record, none));
    return kept.back()->instantiate();
}

TEST(MovementKernels, ConcatenationTakes1024Inputs) {
    graph::Concatenation op;
    op.axis = 0;
    std::vector<target::OperandSpec> const inputs(1025, linear(makeDims({1})));
    EXPECT_EQ(refusal(op, inputs, linear(makeDims({1025}))),
              "expected at most 1024 inputs, got 1025");
}

TEST(MovementKernels, PlansWithMoreInputsAreRefused) {
    if (backendForBuilds().runsHere()) {
        GTEST_SKIP() << "the code of the plan would be opened first";
    }
    graph::Concatenation op;
    op.axis = 0;
    target::KernelRecord record;
    record.op = graph::Concatenation::kKind;
    record.kernel = "concatenation_words";
    ByteWriter parameters;
    op.save(parameters);
    record.parameters = parameters.take();
    record.inputs.assign(1025, {});
    record.outputs.assign(1, {});
    std::vector<Dims> const inputs(1025, makeDims({1}));
    Dims const output = makeDims({1025});
    auto const instance = loaded(record);
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [&] { instance->reshape(inputs, {&output, 1}); }),
        HasSubstr("[concatenation] expected at most 1024 inputs, got 1025. Build the plan "
                  "again."));
}

TEST(MovementKernels, FormatsMustFit) {
    graph::Reformat const op;
    Dims const flat = makeDims({4, 4});
    EXPECT_EQ(refusal(op, {linear(flat)}, operand(DataType::kFLOAT, TensorFormat::kCHW4, flat)),
              "expected a format for 2 dimensions of float32, got chw4");
    EXPECT_EQ(refusal(op, {linear(flat)}, operand(DataType::kHALF, TensorFormat::kLINEAR, flat)),
              "expected operands of one element type");
    if (backendForBuilds().runsHere()) {
        return;
    }
    target::KernelRecord record;
    record.op = graph::Reformat::kKind;
    record.kernel = "reformat_tiles";
    record.inputs = {{DataType::kFLOAT, TensorFormat::kLINEAR}};
    record.outputs = {{DataType::kFLOAT, TensorFormat::kCHW4}};
    auto const instance = loaded(record);
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [&] { instance->reshape({&flat, 1}, {&flat, 1}); }),
        HasSubstr("expected a format for 2 dimensions of float32, got chw4. Build the "
                  "plan again."));
}

} // namespace
} // namespace kiln::targets::cuda
