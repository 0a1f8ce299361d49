// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/slice.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "target/backend_registry.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Slice;
using nvinfer1::SampleMode;
using testing::ElementsAre;
using testing::HasSubstr;

Slice sliceOf(Dims const& start, Dims const& size, Dims const& stride,
              SampleMode mode = SampleMode::kSTRICT_BOUNDS) {
    Slice op;
    op.start = start;
    op.size = size;
    op.stride = stride;
    op.mode = mode;
    return op;
}

TEST(SliceKernels, EveryWidth) {
    Slice const op = sliceOf(makeDims({1, 4}), makeDims({2, 3}), makeDims({1, -2}));
    for (DataType const type :
         {DataType::kINT8, DataType::kHALF, DataType::kFLOAT, DataType::kINT64}) {
        Values const x = randomTensor(type, makeDims({3, 5}), -50.0, 50.0);
        expectAll(op, {x},
                  [&](std::vector<int64_t> const& at) { return x.at({1 + at[0], 4 - 2 * at[1]}); },
                  {});
    }
}

TEST(SliceKernels, FillValueAroundTheData) {
    Slice op = sliceOf(makeDims({-1, -2}), makeDims({4, 6}), makeDims({1, 1}), SampleMode::kFILL);
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3}));
    Values const fill = tensorOf(DataType::kFLOAT, makeDims({}), {7.0});
    Values const none = absentOperand();
    expectAll(op, {x, none, none, none, fill},
              [&](std::vector<int64_t> const& at) {
                  bool const inside = at[0] >= 1 && at[0] < 3 && at[1] >= 2 && at[1] < 5;
                  return inside ? x.at({at[0] - 1, at[1] - 2}) : 7.0;
              },
              {});
}

TEST(SliceKernels, LargeEnoughForSeveralThreads) {
    Slice const op = sliceOf(makeDims({0, 1}), makeDims({500, 300}), makeDims({1, 1}));
    Values const x = randomTensor(DataType::kFLOAT, makeDims({500, 301}));
    expectAll(op, {x}, [&](std::vector<int64_t> const& at) { return x.at({at[0], at[1] + 1}); },
              {});
}

TEST(SliceKernels, RepeatedRows) {
    for (DataType const type :
         {DataType::kINT8, DataType::kHALF, DataType::kFLOAT, DataType::kINT64}) {
        for (int64_t const width : {2, 5, 33, 128, 200, 300}) {
            Slice const op =
                sliceOf(makeDims({0, 1, 0}), makeDims({3, 301, width}), makeDims({1, 0, 1}));
            Values const x = randomTensor(type, makeDims({3, 2, width}), -50.0, 50.0);
            expectAll(op, {x},
                      [&](std::vector<int64_t> const& at) { return x.at({at[0], 1, at[2]}); }, {});
        }
    }
}

/// Start and stride of the sliced axis are operands that each launch reads.
class SliceAtRunTime : public testing::Test {
protected:
    SliceAtRunTime() {
        op.size = makeDims({2});
        op.axes = makeDims({0});
        ByteWriter writer;
        op.save(writer);
        target::OperandType const data{DataType::kFLOAT, TensorFormat::kLINEAR};
        target::OperandType const whole{DataType::kINT64, TensorFormat::kLINEAR};
        record = {"slice_reference",
                  "Slice",
                  writer.take(),
                  {},
                  {data, whole, target::kAbsentType, whole},
                  {data}};
        std::vector<target::ConstantOperand> const operands(4); // no operand is constant
        kernel = target::BackendRegistry::instance().open("cpu").load(record, operands);
        instance = kernel->instantiate();
    }

    void reshape(Dims const& start) {
        std::vector<Dims> const inputs{makeDims({4}), start, target::kAbsentDims, makeDims({1})};
        std::vector<Dims> const outputs{makeDims({2})};
        instance->reshape(inputs, outputs);
    }
    int32_t run(int64_t start, int64_t stride) {
        void const* inputs[] = {x, &start, nullptr, &stride};
        void* outputs[] = {y};
        target::Launch const launch = instance->launch();
        return launch.run(launch.state, {inputs, outputs, nullptr}, nullptr);
    }

    Slice op;
    target::KernelRecord record;
    std::unique_ptr<target::Kernel> kernel;
    std::unique_ptr<target::KernelInstance> instance;
    float x[4] = {10, 11, 12, 13};
    float y[2] = {};
};

TEST_F(SliceAtRunTime, ReadsItsOperands) {
    reshape(makeDims({1}));
    EXPECT_EQ(run(1, 2), 0);
    EXPECT_THAT(y, ElementsAre(11, 13));
    EXPECT_EQ(run(3, -1), 0);
    EXPECT_THAT(y, ElementsAre(13, 12));
}

TEST_F(SliceAtRunTime, ChecksThem) {
    reshape(makeDims({1}));
    EXPECT_NE(run(3, 1), 0);
    EXPECT_EQ(instance->failureText(),
              "[slice] data [4], output [2]: expected elements inside the data. Change start, "
              "stride or axes.");
    EXPECT_NE(run(INT64_MAX, 1), 0);
    EXPECT_THAT(instance->failureText(), HasSubstr("expected coordinates of 64 bits"));
    EXPECT_EQ(run(0, 1), 0);
}

TEST_F(SliceAtRunTime, RefusesOperandsOfAnotherLength) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { reshape(makeDims({2})); }),
                HasSubstr("[shape] Slice, input 1: expected 1 integers, got int64 [2]"));
}

TEST_F(SliceAtRunTime, RefusesAnOutputOfAnotherRank) {
    std::vector<Dims> const inputs{makeDims({4}), makeDims({1}), target::kAbsentDims,
                                   makeDims({1})};
    std::vector<Dims> const outputs{makeDims({2, 1})};
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { instance->reshape(inputs, outputs); }),
                HasSubstr("expected an output of rank 1, got [2,1]"));
}

} // namespace
} // namespace kiln::test
