// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers by a counter: number i of a run is a function of seed, run and i, so threads share
// the numbers in any way. The generator is Philox4x32-10 (Salmon et al., Parallel random numbers:
// as easy as 1, 2, 3, 2011). All arithmetic is that of float32, rounded after each operation, as in
// targets/cuda/kernels/fill_random.cuh: both targets give the same numbers.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kiln::targets::cpu {

/// kRandomBlock words at once, so that the compiler can use vectors.
constexpr int64_t kRandomLanes = 16;
constexpr int64_t kRandomBlock = 4 * kRandomLanes;

using RandomWords = std::array<std::array<uint32_t, kRandomLanes>, 4>;

/// The words of counters first .. first + kRandomLanes - 1 of a run: words[k][i] is word k of
/// counter first + i.
inline RandomWords randomWords(uint64_t seed, uint64_t run, uint64_t first) noexcept {
    RandomWords words;
    for (uint64_t i = 0; i < kRandomLanes; ++i) {
        words[0][i] = static_cast<uint32_t>(first + i);
        words[1][i] = static_cast<uint32_t>((first + i) >> 32);
        words[2][i] = static_cast<uint32_t>(run);
        words[3][i] = static_cast<uint32_t>(run >> 32);
    }
    auto key0 = static_cast<uint32_t>(seed);
    auto key1 = static_cast<uint32_t>(seed >> 32);
    for (int32_t round = 0; round < 10; ++round) {
        for (std::size_t i = 0; i < kRandomLanes; ++i) {
            uint64_t const a = uint64_t{0xD2511F53U} * words[0][i];
            uint64_t const b = uint64_t{0xCD9E8D57U} * words[2][i];
            words[0][i] = static_cast<uint32_t>(b >> 32) ^ words[1][i] ^ key0;
            words[1][i] = static_cast<uint32_t>(b);
            words[2][i] = static_cast<uint32_t>(a >> 32) ^ words[3][i] ^ key1;
            words[3][i] = static_cast<uint32_t>(a);
        }
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    return words;
}

/// Uniform in [0, 1), a multiple of 2^-bits, which the element type can represent; from the highest
/// bits of the word.
inline float uniformNumber(uint32_t word, int32_t bits) noexcept {
    return static_cast<float>(static_cast<int32_t>(word >> (32 - bits))) *
           std::bit_cast<float>((127 - bits) << 23);
}

/// sqrt(-2 ln(u)) for u = (word + 1/2) / 2^32, to about 2^-22.
inline float normalRadius(uint32_t word) noexcept {
    // 24 bits are enough next to 1; next to 0, the odd number keeps the logarithm finite.
    float const u = static_cast<float>(static_cast<int32_t>(word >> 8)) * 0x1p-24F + 0x1p-25F;
    int32_t const bits = std::bit_cast<int32_t>(u) - 0x3F3504F3; // sqrt(1/2)
    int32_t const exponent = bits >> 23;
    float const m = std::bit_cast<float>((bits & 0x7FFFFF) + 0x3F3504F3) - 1.0F;
    // ln(1 + m) by a polynomial (Cephes, logf).
    float p = 7.0376836292e-2F;
    for (float const c :
         {-1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
          -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F}) {
        p = p * m + c;
    }
    float const square = m * m;
    float const tail = p * m * square - 0.5F * square;
    float const ln = static_cast<float>(exponent) * 0.693147182F + (m + tail);
    return std::sqrt(-2.0F * ln);
}

/// Cosine and sine of 2 pi word / 2^32.
struct Direction {
    float cosine;
    float sine;
};

inline Direction directionOf(uint32_t word) noexcept {
    // The nearest quarter of the circle, and the angle from there, in -1/2 .. 1/2 quarters.
    uint32_t const shifted = word + 0x20000000U;
    uint32_t const quarter = shifted >> 30;
    auto const rest = static_cast<int32_t>((shifted & 0x3FFFFFFFU)) - 0x20000000;
    float const x = static_cast<float>(rest) * 0x1p-30F * 1.57079637F;
    float const z = x * x;
    // Cephes, sinf and cosf.
    float const s = ((-1.9515295891e-4F * z + 8.3321608736e-3F) * z - 1.6666654611e-1F) * z * x + x;
    float const c =
        ((2.443315711809948e-5F * z - 1.388731625493765e-3F) * z + 4.166664568298827e-2F) * z * z -
        0.5F * z + 1.0F;
    bool const swaps = (quarter & 1U) != 0;
    float const cosine = swaps ? s : c;
    float const sine = swaps ? c : s;
    return {quarter == 1 || quarter == 2 ? -cosine : cosine, quarter >= 2 ? -sine : sine};
}

} // namespace kiln::targets::cpu
