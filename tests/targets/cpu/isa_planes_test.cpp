// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Windows over planes, gathers and quantization of each instruction set.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "targets/cpu/isa.h"

namespace kiln::targets::cpu {
namespace {

std::vector<float> numbers(std::size_t count) {
    std::mt19937 engine(11);
    std::uniform_real_distribution<float> pick(-2.0F, 2.0F);
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return pick(engine); });
    return values;
}

/// Runs for every instruction set of this machine, by its number in usableIsas().
class IsaPlanes : public testing::TestWithParam<std::size_t> {
protected:
    Isa const& isa = usableIsas()[GetParam()];
};

void expectWindows(Isa const& isa, PlaneWindow const& window, std::vector<float> const& x,
                   std::vector<float> const& weights) {
    std::vector<float> results[3];
    for (auto& result : results) {
        result.assign(static_cast<std::size_t>(window.rows * window.toRow + 1), 77.0F);
    }
    isa.windowFilter(window, x.data(), weights.data(), 0.5F, results[0].data());
    isa.windowSum(window, x.data(), nullptr, 0.0F, results[1].data());
    isa.windowMaximum(window, x.data(), nullptr, -INFINITY, results[2].data());
    for (int64_t row = 0; row < window.rows; ++row) {
        for (int64_t i = 0; i < window.toRow; ++i) {
            auto const at = static_cast<std::size_t>(row * window.toRow + i);
            if (i >= window.columns) {
                ASSERT_EQ(results[0][at], 77.0F) << "outside";
                continue;
            }
            double filtered = 0.5;
            double sum = 0.0;
            float most = -INFINITY;
            for (int64_t tap = 0; tap < window.height * window.width; ++tap) {
                float const element =
                    x[static_cast<std::size_t>(row * window.rowStride + i * window.columnStride +
                                               tap / window.width * window.rowSpacing +
                                               tap % window.width * window.columnSpacing)];
                filtered += double{element} * weights[static_cast<std::size_t>(tap)];
                sum += element;
                most = std::max(most, element);
            }
            ASSERT_NEAR(results[0][at], filtered, 1e-5);
            ASSERT_NEAR(results[1][at], sum, 1e-5);
            ASSERT_EQ(results[2][at], most);
        }
    }
}

TEST_P(IsaPlanes, WindowsOfAnySize) {
    std::vector<float> const x = numbers(6000);
    std::vector<float> const weights = numbers(64);
    for (int64_t const height : {1, 3, 4}) {
        for (int64_t const width : {1, 2, 3, 5}) {
            for (int64_t const stride : {1, 2, 3}) {
                for (int64_t const spacing : {1, 2}) {
                    for (int64_t const columns : {1, 15, 16, 33}) {
                        PlaneWindow window;
                        window.height = height;
                        window.width = width;
                        window.rowSpacing = spacing * 120;
                        window.columnSpacing = spacing;
                        window.rowStride = stride * 120;
                        window.columnStride = stride;
                        window.rows = 6;
                        window.columns = columns;
                        window.toRow = columns + 2;
                        expectWindows(isa, window, x, weights);
                    }
                }
            }
        }
    }
}

TEST_P(IsaPlanes, NanIsTheLargest) {
    std::vector<float> x(600, 1.0F);
    x[61] = NAN;
    PlaneWindow window;
    window.height = window.width = 3;
    window.rowSpacing = window.rowStride = 60;
    window.rows = 1;
    window.columns = 8;
    window.toRow = 8;
    for (int64_t const stride : {1, 2}) {
        window.columnStride = stride;
        float to[8];
        isa.windowMaximum(window, x.data(), nullptr, -INFINITY, to);
        EXPECT_TRUE(std::isnan(to[0]));
        EXPECT_EQ(to[7], 1.0F);
    }
}

template <typename Whole>
void expectQuantized(Isa const& isa, std::vector<float> const& x, float scale, float zero) {
    constexpr float kLeast = std::numeric_limits<Whole>::min();
    constexpr float kMost = std::numeric_limits<Whole>::max();
    std::vector<Whole> to(x.size());
    isa.quantize[std::is_signed_v<Whole> ? 0 : 1](x.data(), {scale, zero, kLeast, kMost}, to.data(),
                                                  static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        float const whole = std::nearbyint(x[i] / scale) + zero;
        float const expected = std::isnan(whole) ? 0.0F : std::clamp(whole, kLeast, kMost);
        ASSERT_EQ(to[i], expected) << x[i] << " / " << scale << " + " << zero;
    }
}

TEST_P(IsaPlanes, QuantizedNumbersAreThoseOfTheQuotient) {
    std::vector<float> x{NAN, INFINITY, -INFINITY, 3e38F, -3e38F, 0.0F, -0.0F, 1e-45F};
    for (float const scale : {0.02F, -0.02F, 0.1F, 0.5F, 3.0F, 1e-39F, 2e38F, 1e-30F}) {
        std::vector<float> values = x;
        for (int32_t i = -300; i <= 300; ++i) { // ties, and their neighbours
            float const tie = (static_cast<float>(i) + 0.5F) * scale;
            values.insert(values.end(), {tie, std::nextafter(tie, INFINITY),
                                         std::nextafter(tie, -INFINITY), tie * 1.1F});
        }
        for (float const zero : {0.0F, 5.0F}) {
            expectQuantized<int8_t>(isa, values, scale, zero);
            expectQuantized<uint8_t>(isa, values, scale, zero + 100.0F);
        }
    }
}

template <typename Index>
void expectGathered(Isa const& isa, int64_t step, int64_t stride, int64_t count) {
    std::vector<uint32_t> data(4000);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<uint32_t>(i) + 1;
    }
    constexpr int64_t kExtent = 50;
    std::vector<Index> indices;
    for (int64_t i = 0; i < count; ++i) {
        indices.push_back(static_cast<Index>(i * 37 % 103 - 51)); // some are outside
    }
    std::vector<uint32_t> to(static_cast<std::size_t>(count));
    isa.gather32[sizeof(Index) == 4 ? 0 : 1]({data.data(), step, stride, kExtent}, indices.data(),
                                             to.data(), count);
    for (int64_t i = 0; i < count; ++i) {
        int64_t const index = indices[static_cast<std::size_t>(i)];
        int64_t const place = index < 0 ? index + kExtent : index;
        uint32_t const expected = place >= 0 && place < kExtent
                                      ? data[static_cast<std::size_t>(i * step + place * stride)]
                                      : 0U;
        ASSERT_EQ(to[static_cast<std::size_t>(i)], expected);
    }
}

TEST_P(IsaPlanes, GathersByEachIndex) {
    for (int64_t const count : {0, 1, 7, 8, 40}) {
        for (auto const& [step, stride] : {std::pair(0, 1), std::pair(1, 60), std::pair(2, 3)}) {
            expectGathered<int32_t>(isa, step, stride, count);
            expectGathered<int64_t>(isa, step, stride, count);
        }
    }
}

TEST_P(IsaPlanes, GathersOfEmptyRowsReadNothing) {
    std::vector<int64_t> const indices(19, 0);
    std::vector<uint32_t> to(indices.size(), 77U);
    isa.gather32[1]({nullptr, 0, 1, 0}, indices.data(), to.data(), 19);
    EXPECT_EQ(to, std::vector<uint32_t>(indices.size()));
}

TEST_P(IsaPlanes, WeightedGathersIgnoreWhatHasWeightZero) {
    std::vector<float> data = numbers(100);
    data[0] = INFINITY;
    for (int64_t const count : {1, 16, 37}) {
        std::vector<int32_t> at;
        std::vector<float> weights;
        for (int32_t i = 0; i < 4 * 40; ++i) {
            at.push_back(i % 5 == 0 ? 0 : i * 7 % 100);
            weights.push_back(at.back() == 0 ? 0.0F : static_cast<float>(i % 3) + 0.5F);
        }
        std::vector<float> to(static_cast<std::size_t>(count) + 1, 77.0F);
        isa.weightedGather(data.data(), at.data(), weights.data(), 40, 4, to.data(), count);
        EXPECT_EQ(to.back(), 77.0F);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            double expected = 0.0;
            for (std::size_t tap = 0; tap < 4; ++tap) {
                std::size_t const k = tap * 40 + i;
                expected += weights[k] == 0.0F
                                ? 0.0
                                : double{weights[k]} * data[static_cast<std::size_t>(at[k])];
            }
            EXPECT_NEAR(to[i], expected, 1e-5);
        }
    }
}

TEST_P(IsaPlanes, DoubledWords) {
    for (std::size_t const count : {0U, 1U, 7U, 16U, 33U, 56U}) {
        std::size_t const row = 2 * count + 3;
        std::vector<uint32_t> from(count);
        std::iota(from.begin(), from.end(), 5U);
        std::vector<uint32_t> to(2 * row, 77U);
        isa.doubleWords(from.data(), to.data(), static_cast<int64_t>(row),
                        static_cast<int64_t>(count));
        for (std::size_t i = 0; i < to.size(); ++i) {
            ASSERT_EQ(to[i], i % row < 2 * count ? from[i % row / 2] : 77U) << count;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Usable, IsaPlanes, testing::Range(std::size_t{0}, usableIsas().size()));

} // namespace
} // namespace kiln::targets::cpu
