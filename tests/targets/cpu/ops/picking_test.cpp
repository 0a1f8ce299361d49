// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Gather, concatenation, select, reduce, unary and fill: results by their definitions, and
// refusals.
#include <gmock/gmock.h>

#include "graph/ops/concatenation.h"
#include "graph/ops/fill.h"
#include "graph/ops/gather.h"
#include "graph/ops/reduce.h"
#include "graph/ops/select.h"
#include "graph/ops/unary.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;

TEST(GatherKernels, RowsFromTheEndAndOutside) {
    graph::Gather op;
    Values const x = randomTensor(DataType::kHALF, makeDims({3, 4}));
    Values const indices = tensorOf(DataType::kINT64, makeDims({4}), {2, -3, 3, -4});
    expectAll(op, {x, indices},
              [&](std::vector<int64_t> const& at) {
                  return at[0] == 0 ? x.at({2, at[1]}) : at[0] == 1 ? x.at({0, at[1]}) : 0.0;
              },
              {});
}

TEST(GatherKernels, EmptyDataGivesZeros) {
    Values const x = tensorOf(DataType::kFLOAT, makeDims({0, 2}), {});
    Values const indices = tensorOf(DataType::kINT32, makeDims({3}), {0, 1, -1});
    expectAll(graph::Gather{}, {x, indices}, [](std::vector<int64_t> const&) { return 0.0; }, {});
}

TEST(ConcatenationKernels, ManyRowsForSeveralThreads) {
    graph::Concatenation op;
    op.axis = 1;
    Values const a = randomTensor(DataType::kFLOAT, makeDims({300, 150}));
    Values const b = randomTensor(DataType::kFLOAT, makeDims({300, 70}));
    expectAll(op, {a, b},
              [&](std::vector<int64_t> const& at) {
                  return at[1] < 150 ? a.at({at[0], at[1]}) : b.at({at[0], at[1] - 150});
              },
              {});
}

TEST(SelectKernels, AnyByteButZeroIsTrue) {
    Values const condition = randomTensor(DataType::kBOOL, makeDims({7, 1}));
    Values const a = randomTensor(DataType::kINT32, makeDims({1, 5}), -9, 9);
    Values const b = randomTensor(DataType::kINT32, makeDims({7, 5}), -9, 9);
    expectAll(graph::Select{}, {condition, a, b},
              [&](std::vector<int64_t> const& at) {
                  return condition.at({at[0], 0}) != 0 ? a.at({0, at[1]}) : b.at({at[0], at[1]});
              },
              {});
}

TEST(ReduceKernels, LongSumsStayExact) {
    graph::Reduce op;
    op.axes = 1U << 1;
    // A float32 sum would lose the ones beside the large number.
    std::vector<double> data(100001, 1.0);
    data[0] = 1 << 30;
    Values const x = tensorOf(DataType::kFLOAT, makeDims({1, 100001}), data);
    expectAll(op, {x}, [](std::vector<int64_t> const&) { return (1 << 30) + 100000.0; },
              {0.0, roundingOf(DataType::kFLOAT)});
}

TEST(ReduceKernels, NanStays) {
    graph::Reduce op;
    op.axes = 1;
    op.operation = ReduceOperation::kMAX;
    Values const x = tensorOf(DataType::kBF16, makeDims({3}), {1.0, std::nan(""), 2.0});
    expectAll(op, {x}, [](std::vector<int64_t> const&) { return std::nan(""); }, {});
}

TEST(UnaryKernels, IntegersWrapAround) {
    graph::Unary op;
    op.operation = UnaryOperation::kABS;
    Values const x = tensorOf(DataType::kINT8, makeDims({3}), {-128, -5, 7});
    expectAll(op, {x},
              [](std::vector<int64_t> const& at) {
                  return at[0] == 0 ? -128.0 : at[0] == 1 ? 5.0 : 7.0;
              },
              {});
}

TEST(UnaryKernels, SignOfSpecialNumbers) {
    graph::Unary op;
    op.operation = UnaryOperation::kSIGN;
    double const infinity = std::numeric_limits<double>::infinity();
    Values const x = tensorOf(DataType::kFLOAT, makeDims({3}), {-infinity, 0.0, std::nan("")});
    expectAll(op, {x},
              [](std::vector<int64_t> const& at) {
                  return at[0] == 0 ? -1.0 : at[0] == 1 ? 0.0 : std::nan("");
              },
              {});
}

TEST(FillKernels, NumbersBeyondTheTypeStopAtItsLimit) {
    graph::Fill op;
    op.type = DataType::kINT32;
    op.dims = makeDims({1});
    op.alpha = 1e300;
    expectAll(op, {}, [](std::vector<int64_t> const&) { return 2147483647.0; }, {});
}

TEST(PickingKernels, RefuseTypesOfLessThanAByte) {
    Values const x = tensorOf(DataType::kINT32, makeDims({2}), {0, 1});
    Values narrow = x;
    narrow.type = DataType::kINT4;
    for (target::Candidate const& candidate : candidatesFor(graph::Gather{}, {narrow, x})) {
        EXPECT_EQ(candidate.refusal, "expected a type of whole bytes, got int4");
    }
}

} // namespace
} // namespace kiln::test
