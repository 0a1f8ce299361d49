// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// clamp(round(x / scale) + zero) as int8 or uint8, see Isa::quantize. Ties are rounded to even.
//
// A product with 1 / scale takes a fraction of the time of a quotient. It differs from the quotient
// by at most 1.5 * 2^-23 of its size, which is at most 383 where it is not clamped, and the sum
// with zero by 2^-17: so both round to the same number unless the sum is nearer than 1e-4 to a tie.
// Such vectors are divided.

/// The numbers of Isa::quantize, in all lanes.
struct QuantizeTerms {
    explicit QuantizeTerms(WholeScale const& how) noexcept
        : scale(splat(how.scale)), least(splat(how.least)), most(splat(how.most)),
          zero(splat(how.zero)) {
        float const size = how.scale < 0.0F ? -how.scale : how.scale;
        normal = size > 1e-37F && size < 1e37F; // so is the inverse
        inverse = splat(normal ? 1.0F / how.scale : 0.0F);
    }

    /// The limits are whole, so clamping before rounding gives the same numbers. NaN passes.
    Vector clamped(Vector x) const noexcept { return smallerOf(most, largerOf(least, x)); }

    Vector scale;
    Vector inverse;
    Vector least;
    Vector most;
    Vector zero;
    bool normal;
};

/// What rounding takes from a number below 2^22.
static inline Vector fractionOf(Vector x, Vector sum) noexcept {
#if defined(__AVX512DQ__)
    static_cast<void>(sum);
    return (Vector)_mm512_maskz_reduce_ps(0xFFFF, (__m512)x, 8); // to nearest, no exceptions
#else
    return x - (sum - 12582912.0F);
#endif
}

/// kCount vectors. The check is as dear as half of the rest, so that several share one.
template <typename Whole, int64_t kCount>
static void quantizeVectors(float const* from, QuantizeTerms const& terms, Whole* to) noexcept {
    typedef Whole WholeVector __attribute__((vector_size(kLanes * sizeof(Whole))));
    constexpr float kRounding = 12582912.0F; // 1.5 * 2^23: its sum with a number has that in its
                                             // low bits, of which the conversion keeps eight
    IntVector numbers[kCount];
    IntVector farthest{}; // from a whole number, as bits: those of NaN are larger than any number's
    for (int64_t i = 0; i < kCount; ++i) {
        __builtin_prefetch(from + i * kLanes + 1024);
        Vector const value =
            terms.clamped(loadVector(from + i * kLanes) * terms.inverse + terms.zero);
        Vector const sum = value + kRounding;
        auto const distance = (IntVector)absolute(fractionOf(value, sum));
        farthest = distance > farthest ? distance : farthest;
        numbers[i] = (IntVector)sum;
    }
    bool const unsure = !terms.normal || anyLane(farthest > (IntVector)splat(0.49989F));
    if (__builtin_expect(static_cast<long>(unsure), 0) != 0) {
        for (int64_t i = 0; i < kCount; ++i) {
            Vector const quotient = loadVector(from + i * kLanes) / terms.scale;
            // Limits of a quotient that are far enough for any zero, and leave it exact.
            Vector const rounded = (limited(quotient, -1024.0F, 1024.0F) + kRounding) - kRounding;
            Vector const result = terms.clamped(rounded + terms.zero);
            numbers[i] = __builtin_convertvector(result == result ? result : Vector{}, IntVector);
        }
    }
    for (int64_t i = 0; i < kCount; ++i) {
        WholeVector const whole = __builtin_convertvector(numbers[i], WholeVector);
        __builtin_memcpy(to + i * kLanes, &whole, sizeof(whole));
    }
}

template <typename Whole>
static void quantizeArray(float const* from, WholeScale const& how, void* to,
                          int64_t count) noexcept {
    auto* const target = static_cast<Whole*>(to);
    QuantizeTerms const terms(how);
    int64_t i = 0;
    for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
        quantizeVectors<Whole, 4>(from + i, terms, target + i);
    }
    for (; i + kLanes <= count; i += kLanes) {
        quantizeVectors<Whole, 1>(from + i, terms, target + i);
    }
    if (i < count) {
        float last[kLanes];
        Whole numbers[kLanes];
        storeVector(last, loadPart(from + i, count - i));
        quantizeVectors<Whole, 1>(last, terms, numbers);
        __builtin_memcpy(target + i, numbers, static_cast<std::size_t>(count - i) * sizeof(Whole));
    }
}
