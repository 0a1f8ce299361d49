// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cast.h"

#include <cmath>
#include <limits>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using V = std::vector<double>;

constexpr DataType kTypes[] = {DataType::kFLOAT, DataType::kHALF,  DataType::kBF16,
                               DataType::kINT8,  DataType::kUINT8, DataType::kBOOL,
                               DataType::kINT32, DataType::kINT64};

graph::Cast castTo(DataType type) {
    graph::Cast op;
    op.toType = type;
    return op;
}

V cast(DataType from, DataType to, V const& values) {
    Dims const dims = makeDims({static_cast<int64_t>(values.size())});
    V result = runAll(castTo(to), {tensorOf(from, dims, values)}).back().output.data;
    return result;
}

TEST(CastKernels, EveryPairOfTypes) {
    for (DataType const from : kTypes) {
        for (DataType const to : kTypes) {
            // Values that fit every type, apart from fractions, which integers drop.
            Values const x = randomTensor(from, makeDims({3, 67}), 0.0, 100.0);
            expectAll(castTo(to), {x},
                      [&](auto const& i) {
                          double const value = x.at({i[0], i[1]});
                          if (to == DataType::kBOOL) {
                              return value == 0.0 ? 0.0 : 1.0;
                          }
                          return isFloating(to) ? rounded(to, value) : std::trunc(value);
                      },
                      {});
        }
    }
}

TEST(CastKernels, FloatToIntegerDropsTheFractionAndStopsAtTheLimits) {
    double const inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(cast(DataType::kFLOAT, DataType::kINT32, {1.9, -1.9, 3e9, -3e9, inf, std::nan("")}),
              (V{1, -1, 2147483647.0, -2147483648.0, 2147483647.0, 0}));
    EXPECT_EQ(cast(DataType::kHALF, DataType::kINT8, {200.0, -200.0, 0.99}), (V{127, -128, 0}));
    EXPECT_EQ(cast(DataType::kFLOAT, DataType::kUINT8, {-1.0, 255.9, 300.0}), (V{0, 255, 255}));
}

TEST(CastKernels, IntegerToNarrowerKeepsTheLowBits) {
    EXPECT_EQ(cast(DataType::kINT32, DataType::kINT8, {256 + 5, 128}), (V{5, -128}));
    EXPECT_EQ(cast(DataType::kINT64, DataType::kUINT8, {-1}), (V{255}));
}

TEST(CastKernels, ToBoolIsTrueUnlessZero) {
    EXPECT_EQ(cast(DataType::kFLOAT, DataType::kBOOL, {0.0, -0.0, 0.25, -3.0, std::nan("")}),
              (V{0, 0, 1, 1, 1}));
}

TEST(CastKernels, BoolIsZeroOrOneWhateverTheByte) {
    Values x = tensorOf(DataType::kUINT8, makeDims({3}), {0, 1, 200});
    x.type = DataType::kBOOL;
    EXPECT_EQ(runAll(castTo(DataType::kFLOAT), {x}).back().output.data, (V{0, 1, 1}));
}

TEST(CastKernels, ToNarrowerFloatRoundsToNearestEven) {
    EXPECT_EQ(cast(DataType::kFLOAT, DataType::kHALF, {1.0 + 0x1p-11, 1.0 + 3 * 0x1p-11, 65520.0}),
              (V{1.0, 1.0 + 0x1p-9, std::numeric_limits<double>::infinity()}));
    EXPECT_EQ(cast(DataType::kFLOAT, DataType::kBF16, {1.0 + 0x1p-8, 1.0 + 3 * 0x1p-8}),
              (V{1.0, 1.0 + 0x1p-6}));
}

TEST(CastKernels, TakePackedTypesByAKernelOfTheirOwn) {
    Values const x = tensorOf(DataType::kFLOAT, makeDims({2}), {1, 2});
    auto const toInt4 = candidatesFor(castTo(DataType::kINT4), {x});
    EXPECT_EQ(toInt4.back().refusal, "expected elements of whole bytes, got int4");
    auto const toInt8 = candidatesFor(castTo(DataType::kINT8), {x});
    EXPECT_EQ(toInt8.at(1).refusal, "expected fp8 or elements of 4 bits, got float32 and int8");
}

} // namespace
} // namespace kiln::test
