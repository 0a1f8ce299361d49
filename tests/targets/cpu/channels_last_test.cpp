// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Operations whose operands have channels last: results by their definitions.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/reduce.h"
#include "graph/ops/select.h"
#include "graph/ops/unary.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::ElementWiseOperation;
using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;
using Index = std::vector<int64_t>;

Values channelsLast(Values values) {
    auto const format = values.dims.nbDims == 5 ? TensorFormat::kDHWC : TensorFormat::kHWC;
    return inFormat(format, std::move(values));
}

std::vector<Dims> const kShapes{makeDims({2, 5, 3, 7}), makeDims({1, 64, 9, 10}),
                                makeDims({3, 1, 4, 4}), makeDims({2, 3, 2, 3, 4})};

/// The element of x that is broadcast to an index.
double at(Values const& x, Index const& index) {
    int64_t offset = 0;
    for (int32_t axis = 0; axis < x.dims.nbDims; ++axis) {
        int64_t const i = x.dims.d[axis] == 1 ? 0 : index[static_cast<std::size_t>(axis)];
        offset = offset * x.dims.d[axis] + i;
    }
    return x.data[static_cast<std::size_t>(offset)];
}

TEST(ChannelsLast, Activation) {
    graph::Activation op;
    op.type = nvinfer1::ActivationType::kTANH;
    for (Dims const& dims : kShapes) {
        Values const x = channelsLast(randomTensor(DataType::kFLOAT, dims));
        expectAll(op, {x}, [&](Index const& i) { return std::tanh(at(x, i)); }, {0.0, 1e-6});
    }
}

TEST(ChannelsLast, UnaryOfIntegers) {
    graph::Unary op;
    op.operation = UnaryOperation::kNEG;
    Values const x = channelsLast(randomTensor(DataType::kINT32, kShapes[0], -9, 9));
    expectAll(op, {x}, [&](Index const& i) { return -at(x, i); }, {});
}

TEST(ChannelsLast, BroadcastsOfElementwise) {
    graph::ElementWise op;
    op.operation = ElementWiseOperation::kSUB;
    for (DataType const type : {DataType::kFLOAT, DataType::kBF16, DataType::kINT32}) {
        for (Dims const& dims : kShapes) {
            for (uint32_t mask = 0; mask < 16; ++mask) { // axes that input 1 repeats
                Dims other = dims;
                for (int32_t axis = 0; axis < 4; ++axis) {
                    other.d[axis] = (mask >> axis & 1U) != 0 ? 1 : dims.d[axis];
                }
                Values const x = channelsLast(randomTensor(type, dims, -9, 9));
                Values const y = channelsLast(randomTensor(type, other, -9, 9));
                expectAll(op, {x, y}, [&](Index const& i) { return at(x, i) - at(y, i); },
                          {1e-6, roundingOf(type)});
            }
        }
    }
}

TEST(ChannelsLast, SelectAndCast) {
    Values const condition = channelsLast(randomTensor(DataType::kBOOL, kShapes[0]));
    for (DataType const type : {DataType::kFLOAT, DataType::kINT8}) {
        Values const x = channelsLast(randomTensor(type, kShapes[0], -9, 9));
        Values const y = channelsLast(randomTensor(type, makeDims({1, 5, 1, 1}), -9, 9));
        expectAll(graph::Select{}, {condition, x, y},
                  [&](Index const& i) { return at(condition, i) != 0 ? at(x, i) : at(y, i); }, {});
        graph::Cast op;
        op.toType = DataType::kINT64;
        expectAll(op, {x}, [&](Index const& i) { return std::trunc(at(x, i)); }, {});
    }
}

TEST(ChannelsLast, ConcatenationOfEachAxis) {
    for (int32_t axis = 0; axis < 4; ++axis) {
        graph::Concatenation op;
        op.axis = axis;
        Dims more = kShapes[0];
        more.d[axis] += 2;
        Values const x = channelsLast(randomTensor(DataType::kHALF, kShapes[0]));
        Values const y = channelsLast(randomTensor(DataType::kHALF, more));
        expectAll(op, {x, y},
                  [&](Index const& i) {
                      Index rest = i;
                      rest[static_cast<std::size_t>(axis)] -= x.dims.d[axis];
                      return rest[static_cast<std::size_t>(axis)] < 0 ? at(x, i) : at(y, rest);
                  },
                  {});
    }
}

/// The reduction of x over the axes of the mask, at the place of an index.
double reduced(ReduceOperation operation, Values const& x, uint32_t axes, Index const& place) {
    double result = operation == ReduceOperation::kMAX ? -1e9 : 0.0;
    int64_t count = 0;
    for (int64_t number = 0; number < volume(x.dims, "test"); ++number) {
        Index index(static_cast<std::size_t>(x.dims.nbDims));
        bool here = true;
        int64_t rest = number;
        for (int32_t axis = x.dims.nbDims - 1; axis >= 0; --axis) {
            auto const i = static_cast<std::size_t>(axis);
            index[i] = rest % x.dims.d[axis];
            rest /= x.dims.d[axis];
            here = here && ((axes >> axis & 1U) != 0 || index[i] == place[i]);
        }
        if (here) {
            double const value = at(x, index);
            result = operation == ReduceOperation::kMAX ? std::max(result, value) : result + value;
            ++count;
        }
    }
    return operation == ReduceOperation::kAVG ? result / static_cast<double>(count) : result;
}

TEST(ChannelsLast, ReductionsOfEachSetOfAxes) {
    for (auto const format : {TensorFormat::kHWC, TensorFormat::kLINEAR}) {
        for (Dims const& dims : {makeDims({2, 5, 3, 7}), makeDims({2, 20, 5, 4})}) {
            for (uint32_t axes = 1; axes < 16; ++axes) {
                for (auto const operation :
                     {ReduceOperation::kSUM, ReduceOperation::kAVG, ReduceOperation::kMAX}) {
                    graph::Reduce op;
                    op.operation = operation;
                    op.axes = axes;
                    op.keepsAxes = true;
                    Values const x = inFormat(format, randomTensor(DataType::kFLOAT, dims));
                    expectAll(op, {x},
                              [&](Index const& i) { return reduced(operation, x, axes, i); },
                              {1e-6, 1e-6});
                }
            }
        }
    }
}

TEST(ChannelsLast, ReductionsThatLoseAxesAreRefused) {
    graph::Reduce op;
    op.axes = 2;
    Values const x = channelsLast(randomTensor(DataType::kFLOAT, kShapes[0]));
    for (target::Candidate const& candidate : candidatesFor(op, {x})) {
        EXPECT_EQ(candidate.refusal, "expected reductions that keep their axes");
    }
}

} // namespace
} // namespace kiln::test
