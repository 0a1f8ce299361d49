// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// clamp(round(x / scale) + zero) as int8 or uint8, see Isa::quantize. Ties are rounded to even.
//
// A product with 1 / scale takes a fraction of the time of a quotient. It differs from the quotient
// by at most 1.5 * 2^-23 of its size, which is at most 512 where it is not clamped: so both round
// to the same number unless the product is nearer than 1e-4 to a tie. Such vectors are divided.

/// The limits are whole, so clamping before rounding gives the same numbers. NaN passes.
static inline Vector clampedWhole(Vector x, Vector least, Vector most) noexcept {
    return smallerOf(most, largerOf(least, x));
}

/// False for NaN, too.
static inline bool noneAbove(Vector x, float limit) noexcept {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)x, (__m512)splat(limit), _CMP_NLE_UQ) == 0;
#else
    return !anyLane(~(x <= splat(limit)));
#endif
}

template <typename Whole>
static void quantizeArray(float const* from, WholeScale const& how, void* to,
                          int64_t count) noexcept {
    typedef Whole WholeVector __attribute__((vector_size(kLanes * sizeof(Whole))));
    auto* const target = static_cast<Whole*>(to);
    float const size = how.scale < 0.0F ? -how.scale : how.scale;
    bool const normal = size > 1e-37F && size < 1e37F; // so is the inverse
    Vector const scale = splat(how.scale);
    Vector const inverse = splat(normal ? 1.0F / how.scale : 0.0F);
    Vector const least = splat(how.least - how.zero);
    Vector const most = splat(how.most - how.zero);
    Vector const zero = splat(how.zero);
    float const rounding =
        12582912.0F; // 1.5 * 2^23: its sum with a number has that in its low bits
    IntVector const shift = __builtin_convertvector(zero, IntVector) - (IntVector)splat(rounding);
    auto const divided = [&](Vector x) noexcept {
        Vector const value = clampedWhole(x / scale, least, most);
        Vector const result = ((value + rounding) - rounding) + zero;
        return __builtin_convertvector(result == result ? result : Vector{}, IntVector);
    };
    auto const whole = [&](Vector x) noexcept {
        Vector const value = clampedWhole(x * inverse, least, most);
        Vector const sum = value + rounding;
        bool const sure = normal && noneAbove(absolute(value - (sum - rounding)), 0.4999F);
        IntVector const number =
            __builtin_expect(static_cast<long>(sure), 1) != 0 ? (IntVector)sum + shift : divided(x);
        return __builtin_convertvector(number, WholeVector);
    };
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        WholeVector const numbers = whole(loadVector(from + i));
        __builtin_memcpy(target + i, &numbers, sizeof(numbers));
    }
    if (i < count) {
        WholeVector const numbers = whole(loadPart(from + i, count - i));
        for (int64_t lane = 0; i < count; ++i, ++lane) {
            target[i] = numbers[lane];
        }
    }
}
