// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of 8 and 4 bits of each instruction set, against base/narrow_numbers.h.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/narrow_numbers.h"
#include "targets/cpu/isa.h"

namespace kiln::targets::cpu {
namespace {

class IsaNarrow : public testing::TestWithParam<std::size_t> {
protected:
    Isa const& isa = usableIsas()[GetParam()];
};

/// Numbers of all sizes, and those where a rounding changes.
std::vector<float> floats() {
    std::vector<float> values{NAN, -NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1e-45F, 3e38F};
    for (int32_t code = 0; code < 0x7F; ++code) {
        float const low = fp8ToFloat(static_cast<uint8_t>(code));
        float const high = fp8ToFloat(static_cast<uint8_t>(std::min(code + 1, 0x7E)));
        for (float const value : {low, (low + high) / 2, low + (high - low) / 4}) {
            for (float const near :
                 {value, std::nextafter(value, 1e9F), std::nextafter(value, -1e9F)}) {
                values.insert(values.end(), {near, -near});
            }
        }
    }
    return values;
}

TEST_P(IsaNarrow, Fp8) {
    std::vector<uint8_t> bits(256);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        bits[i] = static_cast<uint8_t>(i);
    }
    for (int64_t const count : {1, 15, 17, 256}) {
        std::vector<float> wide(257, 77.0F);
        isa.fp8ToFloat(bits.data(), wide.data(), count);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]),
                      std::bit_cast<uint32_t>(fp8ToFloat(bits[i])));
        }
        ASSERT_EQ(wide[static_cast<std::size_t>(count)], 77.0F);
    }
    std::vector<float> const x = floats();
    std::vector<uint8_t> narrow(x.size());
    isa.floatToFp8(x.data(), narrow.data(), static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(narrow[i], floatToFp8(x[i])) << x[i];
    }
}

TEST_P(IsaNarrow, Fp4AndNibbles) {
    std::vector<float> x = floats();
    for (float const tie : {0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F}) {
        x.insert(x.end(), {tie, -tie, std::nextafter(tie, 9.0F), std::nextafter(tie, 0.0F)});
    }
    std::vector<uint8_t> codes(x.size());
    isa.floatToFp4(x.data(), codes.data(), static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(codes[i], floatToFp4(x[i])) << x[i];
    }
    float table[16];
    for (std::size_t i = 0; i < 16; ++i) {
        table[i] = static_cast<float>(i) + 0.5F;
    }
    for (std::size_t const count : {std::size_t{1}, std::size_t{16}, std::size_t{33}}) {
        std::vector<uint8_t> packed((count + 1) / 2, 0xFF);
        isa.packNibbles(codes.data(), packed.data(), static_cast<int64_t>(count));
        std::vector<float> numbers(count);
        isa.nibblesToFloat(packed.data(), table, numbers.data(), static_cast<int64_t>(count));
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(nibbleAt(packed.data(), static_cast<int64_t>(i)), codes[i] & 15);
            ASSERT_EQ(numbers[i], table[codes[i] & 15]);
        }
        if (count % 2 != 0) {
            ASSERT_EQ(packed.back() >> 4, 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Usable, IsaNarrow, testing::Range(std::size_t{0}, usableIsas().size()));

} // namespace
} // namespace kiln::targets::cpu
