// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/elementwise.h"

#include <cmath>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::ElementWise;
using nvinfer1::ElementWiseOperation;

ElementWise opOf(ElementWiseOperation operation) {
    ElementWise op;
    op.operation = operation;
    return op;
}

double formula(ElementWiseOperation operation, double x, double y, bool whole) {
    switch (operation) {
    case ElementWiseOperation::kSUM: return x + y;
    case ElementWiseOperation::kPROD: return x * y;
    case ElementWiseOperation::kMAX: return x > y ? x : y;
    case ElementWiseOperation::kMIN: return x < y ? x : y;
    case ElementWiseOperation::kSUB: return x - y;
    case ElementWiseOperation::kDIV: return whole ? std::trunc(x / y) : x / y;
    case ElementWiseOperation::kPOW: return std::pow(x, y);
    case ElementWiseOperation::kFLOOR_DIV: return std::floor(x / y);
    case ElementWiseOperation::kAND: return x != 0.0 && y != 0.0;
    case ElementWiseOperation::kOR: return x != 0.0 || y != 0.0;
    case ElementWiseOperation::kXOR: return (x != 0.0) != (y != 0.0);
    case ElementWiseOperation::kEQUAL: return x == y;
    case ElementWiseOperation::kGREATER: return x > y;
    case ElementWiseOperation::kLESS: return x < y;
    }
    return std::nan("");
}

/// An element of an operand; axes of extent 1 are broadcast.
double broadcastAt(Values const& values, std::vector<int64_t> const& index) {
    int64_t offset = 0;
    for (int32_t i = 0; i < values.dims.nbDims; ++i) {
        int64_t const at = values.dims.d[i] == 1 ? 0 : index[std::size_t(i)];
        offset = offset * values.dims.d[i] + at;
    }
    return values.data[std::size_t(offset)];
}

void check(ElementWiseOperation operation, Values const& x, Values const& y) {
    ElementWise const op = opOf(operation);
    bool const whole = !isFloating(x.type);
    // Half results are rounded once more; pow has an error of a few units in the last place.
    double const relative =
        whole ? 0.0
              : roundingOf(x.type) * 1.01 + (operation == ElementWiseOperation::kPOW ? 1e-6 : 2e-7);
    // Subnormal numbers of 16 bits lie 2^-24 apart.
    double const absolute = x.type == DataType::kHALF ? 0x1.02p-25 : 0.0;
    expectAll(op, {x, y},
              [&](auto const& index) {
                  double const value =
                      formula(operation, broadcastAt(x, index), broadcastAt(y, index), whole);
                  return op.compares() || whole ? value : rounded(DataType::kFLOAT, value);
              },
              {absolute, relative});
}

/// All operations on numbers.
std::vector<ElementWiseOperation> numeric() {
    std::vector<ElementWiseOperation> operations;
    for (int32_t i = 0; i < nvinfer1::EnumMax<ElementWiseOperation>(); ++i) {
        if (auto const operation = static_cast<ElementWiseOperation>(i);
            !opOf(operation).isLogical()) {
            operations.push_back(operation);
        }
    }
    return operations;
}

class ElementWiseKernels : public testing::TestWithParam<ElementWiseOperation> {
protected:
    bool power() const { return GetParam() == ElementWiseOperation::kPOW; }
};

std::vector<std::pair<Dims, Dims>> shapePairs() {
    return {{makeDims({3, 5}), makeDims({3, 5})},
            {makeDims({2, 3, 4}), makeDims({1, 3, 1})},
            {makeDims({1, 1, 4}), makeDims({2, 3, 1})},
            {makeDims({7}), makeDims({1})},
            {makeDims({1}), makeDims({1})},
            {makeDims({}), makeDims({})},
            {makeDims({0, 3}), makeDims({1, 3})},
            {makeDims({2, 1, 3, 1, 5}), makeDims({1, 4, 3, 2, 5})},
            {makeDims({1, 4099}), makeDims({3, 4099})}};
}

TEST_P(ElementWiseKernels, FollowTheFormulaOnFloats) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
        for (auto const& [left, right] : shapePairs()) {
            check(GetParam(), randomTensor(type, left, power() ? 0.1 : -3.0, 3.0),
                  randomTensor(type, right, 0.5, 3.0));
        }
    }
}

TEST_P(ElementWiseKernels, FollowTheFormulaOnIntegers) {
    for (DataType const type : {DataType::kINT8, DataType::kINT32, DataType::kINT64}) {
        for (auto const& [left, right] : shapePairs()) {
            check(GetParam(), randomTensor(type, left, -9.0, 9.0),
                  randomTensor(type, right, 1.0, power() ? 3.0 : 9.0));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Numeric, ElementWiseKernels, testing::ValuesIn(numeric()));

TEST(ElementWiseKernelsOfBooleans, FollowTheFormula) {
    for (auto const operation : {ElementWiseOperation::kAND, ElementWiseOperation::kOR,
                                 ElementWiseOperation::kXOR, ElementWiseOperation::kEQUAL}) {
        for (auto const& [left, right] : shapePairs()) {
            check(operation, randomTensor(DataType::kBOOL, left),
                  randomTensor(DataType::kBOOL, right));
        }
    }
}

std::vector<double> integers(ElementWiseOperation operation, DataType type, std::vector<double> x,
                             std::vector<double> y) {
    Dims const dims = makeDims({static_cast<int64_t>(x.size())});
    return runAll(opOf(operation), {tensorOf(type, dims, x), tensorOf(type, dims, y)})
        .back()
        .output.data;
}

TEST(ElementWiseKernelsOfIntegers, DivisionIsDefinedEverywhere) {
    using V = std::vector<double>;
    V const x{7, -7, 7, -7, 5, -2147483648.0};
    V const y{2, 2, -2, -2, 0, -1};
    EXPECT_EQ(integers(ElementWiseOperation::kDIV, DataType::kINT32, x, y),
              (V{3, -3, -3, 3, 0, -2147483648.0}));
    EXPECT_EQ(integers(ElementWiseOperation::kFLOOR_DIV, DataType::kINT32, x, y),
              (V{3, -4, -4, 3, 0, -2147483648.0}));
}

TEST(ElementWiseKernelsOfIntegers, WrapAround) {
    using V = std::vector<double>;
    EXPECT_EQ(integers(ElementWiseOperation::kSUM, DataType::kINT8, {127, -128}, {1, -1}),
              (V{-128, 127}));
    EXPECT_EQ(integers(ElementWiseOperation::kPROD, DataType::kINT32, {65536}, {65536}), (V{0}));
}

TEST(ElementWiseKernelsOfIntegers, PowerOfNegativeExponents) {
    using V = std::vector<double>;
    EXPECT_EQ(integers(ElementWiseOperation::kPOW, DataType::kINT32, {2, 1, -1, -1, 0, 3},
                       {-1, -5, -2, -3, 0, 4}),
              (V{0, 1, 1, -1, 1, 81}));
}

TEST(ElementWiseKernelsOfNaN, MaximumAndMinimumKeepIt) {
    double const nan = std::nan("");
    Values const x = tensorOf(DataType::kFLOAT, makeDims({2}), {nan, 1.0});
    Values const y = tensorOf(DataType::kFLOAT, makeDims({2}), {1.0, nan});
    for (auto const operation : {ElementWiseOperation::kMAX, ElementWiseOperation::kMIN}) {
        expectAll(opOf(operation), {x, y}, [&](auto const&) { return nan; }, {});
    }
}

TEST(ElementWiseKernelsOfBooleans, AnyByteButZeroIsTrue) {
    Values const x = tensorOf(DataType::kUINT8, makeDims({3}), {0, 1, 255});
    Values asBool = x;
    asBool.type = DataType::kBOOL;
    Values const ones = tensorOf(DataType::kBOOL, makeDims({3}), {1, 1, 1});
    auto const runs = runAll(opOf(ElementWiseOperation::kEQUAL), {asBool, ones});
    EXPECT_EQ(runs.back().output.data, (std::vector<double>{0, 1, 1}));
}

} // namespace
} // namespace kiln::test
