// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Powers, sines and cosines, lane by lane. Where a result needs more than the precision of float on
// the way, it is computed in double; lanes with rare arguments are computed by the C library.

/// Replaces the lanes of `result` where `rare` holds by function(lane).
template <typename Function>
static inline Vector repaired(Vector result, IntVector rare, Function function) noexcept {
    if (__builtin_expect(static_cast<long>(anyLane(rare)), 0) != 0) {
        for (int64_t lane = 0; lane < kLanes; ++lane) {
            if (rare[lane] != 0) {
                result[lane] = function(lane);
            }
        }
    }
    return result;
}

/// log2 of positive normal floats, with an absolute error below 2^-36.
static inline WideVector log2Wide(WideVector x) noexcept {
    // The constant is sqrt(1/2). The difference wraps for negative numbers.
    WideIntVector const shifted = (WideIntVector)((WideUnsignedVector)x - 0x3FE6A09E667F3BCDU);
    WideIntVector const exponent = shifted >> 52;
    WideVector const m = (WideVector)((shifted & 0xFFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD);
    WideVector const s = (m - 1.0) / (m + 1.0);
    WideVector const z = s * s;
    WideVector p = 0.34072798211040267 * z + 0.41167282849864489;
    p = p * z + 0.57708358323725628;
    p = p * z + 0.96179667335027663;
    p = p * z + 2.8853900817910793;
    // The exponent as a double: bits below 1.5 * 2^52.
    WideVector const rounder = WideVector{} + 6755399441055744.0;
    return p * s + ((WideVector)(exponent + (WideIntVector)rounder) - rounder);
}

/// 2^x with a relative error below 2^-28, for |x| < 1000.
static inline WideVector exp2Wide(WideVector x) noexcept {
    WideVector const rounder = WideVector{} + 6755399441055744.0; // 1.5 * 2^52
    WideVector const shifted = x + rounder;
    WideVector const r = x - (shifted - rounder);
    WideVector p = 1.5345810400475e-4 * r + 1.3399931204611061e-3;
    p = p * r + 9.6184889631132763e-3;
    p = p * r + 5.550328777010928e-2;
    p = p * r + 0.24022646890578087;
    p = p * r + 0.69314720573724065;
    p = p * r + 1.0000000005541736;
    WideIntVector const n = (WideIntVector)shifted - (WideIntVector)rounder;
    return (WideVector)((WideIntVector)p + (n << 52));
}

/// x^y, to 1 ulp.
static inline Vector powVector(Vector x, Vector y) noexcept {
    IntVector const usual = (x >= splat(1.17549435e-38F)) & (x < splat(__builtin_inff())) &
                            (absolute(y) < splat(1e30F));
    // Where it is not usual, 1^1; also keeps the doubles below in their ranges.
    Vector const base = usual ? x : splat(1.0F);
    TwoWide const b = widened(base);
    TwoWide const e = widened(usual ? y : splat(1.0F));
    auto const power = [](WideVector wideBase, WideVector exponent) noexcept {
        WideVector product = log2Wide(wideBase) * exponent;
        WideVector const limit = WideVector{} + 200.0; // beyond, the result is 0 or infinity
        product = product > limit ? limit : (product < -limit ? -limit : product);
        return exp2Wide(product);
    };
    Vector const result = narrowed({power(b.low, e.low), power(b.high, e.high)});
    return repaired(result, ~usual, [&](int64_t lane) noexcept { return powf(x[lane], y[lane]); });
}

struct Quadrants {
    Vector r;       ///< |r| <= pi / 4
    IntVector turn; ///< number of quarter turns that were taken off
};

/// For |x| < 1e5. The product with the first part of pi / 2 (33 bits) is exact.
static inline Quadrants quadrantsOf(Vector x) noexcept {
    WideVector const rounder = WideVector{} + 6755399441055744.0;
    auto const [low, high] = widened(x);
    TwoWide const n{(low * 0.63661977236758134 + rounder) - rounder,
                    (high * 0.63661977236758134 + rounder) - rounder};
    TwoWide const r{low - n.low * 1.57079632673412561417 - n.low * 6.07710050650619224932e-11,
                    high - n.high * 1.57079632673412561417 - n.high * 6.07710050650619224932e-11};
    return {narrowed(r), __builtin_convertvector(narrowed(n), IntVector)};
}

/// sin of x + offset quarter turns, to 2 ulp. Coefficients: Cephes sinf, cosf (Moshier).
template <int32_t kOffset>
static inline Vector sineVector(Vector x) noexcept {
    IntVector const usual = absolute(x) < splat(1e5F);
    auto const [r, quarters] = quadrantsOf(usual ? x : Vector{});
    IntVector const turn = quarters + kOffset;
    Vector const z = r * r;
    Vector sine = -1.9515295891e-4F * z + 8.3321608736e-3F;
    sine = sine * z - 1.6666654611e-1F;
    sine = sine * z * r + r;
    Vector cosine = 2.443315711809948e-5F * z - 1.388731625493765e-3F;
    cosine = cosine * z + 4.166664568298827e-2F;
    cosine = cosine * z * z - 0.5F * z + 1.0F;
    Vector const either = (turn & 1) != 0 ? cosine : sine;
    Vector const result = (Vector)((IntVector)either ^ ((turn & 2) << 30));
    return repaired(result, ~usual, [&](int64_t lane) noexcept {
        return kOffset == 0 ? sinf(x[lane]) : cosf(x[lane]);
    });
}
