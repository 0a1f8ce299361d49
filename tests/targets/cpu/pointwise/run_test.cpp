// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Results at any place of a cache line.
#include <gtest/gtest.h>

#include "targets/cpu/pointwise/program.h"
#include "targets/region_ops.h"

namespace kiln::targets::cpu {
namespace {

constexpr std::size_t kLine = 16; ///< floats

/// max(x, 0) to a place that is `shift` floats behind the beginning of a cache line, with stores
/// past the caches or without.
void expectRectified(Dims const& dims, std::size_t shift, bool pastCaches = false) {
    std::vector<float> x(static_cast<std::size_t>(dims.d[0] * dims.d[1]));
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i * 37 % 101) - 50.0F;
    }
    auto const op = test::ops::activation(test::ops::ActivationType::kRELU);
    target::OperandType const type;
    Program program = programOf(chainOf(*op, {{&type, 1}, {&type, 1}, {&dims, 1}, {&dims, 1}}, {}));
    EXPECT_FALSE(program.pastCaches) << "it fits into the caches";
    program.pastCaches = pastCaches;
    std::vector<float> memory(x.size() + 4 * kLine, -7.0F);
    auto const address = reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(float);
    std::size_t const begin = 2 * kLine - address % kLine + shift;
    void const* const operand = x.data();
    void* const result = memory.data() + begin;
    runProgram(program, {&operand, &result, nullptr});
    for (std::size_t i = 0; i < memory.size(); ++i) {
        bool const inside = i >= begin && i < begin + x.size();
        float const expected = inside ? std::max(x[i - begin], 0.0F) : -7.0F;
        ASSERT_EQ(memory[i], expected) << i << ", shift " << shift;
    }
}

TEST(PointwisePrograms, ResultsAtAnyPlaceOfALine) {
    for (Dims const& dims : {makeDims({1, 1}), makeDims({3, 257}), makeDims({1, 2049}),
                             makeDims({1, 4095}), makeDims({1, 40000}), makeDims({1, 600001})}) {
        for (std::size_t const shift : {0U, 1U, 4U, 15U}) {
            expectRectified(dims, shift);
            expectRectified(dims, shift, true);
        }
    }
}

TEST(PointwisePrograms, LargeResultsGoPastTheCaches) {
    Dims const dims = makeDims({1 << 15, 1 << 15});
    target::OperandType const type;
    auto const pastCaches = [&](test::ops::ActivationType function) {
        auto const op = test::ops::activation(function);
        return programOf(chainOf(*op, {{&type, 1}, {&type, 1}, {&dims, 1}, {&dims, 1}}, {}))
            .pastCaches;
    };
    EXPECT_TRUE(pastCaches(test::ops::ActivationType::kRELU));
    EXPECT_FALSE(pastCaches(test::ops::ActivationType::kGELU_ERF)) << "it takes longer than memory";
}

} // namespace
} // namespace kiln::targets::cpu
