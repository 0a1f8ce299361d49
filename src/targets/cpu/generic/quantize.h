// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// clamp(round(x / scale) + zero) as int8 or uint8, see Isa::quantize. Ties are rounded to even.
//
// A product with 1 / scale takes a fraction of the time of a quotient. It differs from the quotient
// by at most 1.5 * 2^-23 of its size, which is at most 512 where it is not clamped: so both round
// to the same number unless the product is nearer than 1e-4 to a tie. Such vectors are divided.

/// The numbers of Isa::quantize, in all lanes.
struct QuantizeTerms {
    explicit QuantizeTerms(WholeScale const& how) noexcept
        : scale(splat(how.scale)), least(splat(how.least - how.zero)),
          most(splat(how.most - how.zero)),
          zero(__builtin_convertvector(splat(how.zero), IntVector)) {
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
    IntVector zero;
    bool normal;
};

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
        Vector const value = terms.clamped(loadVector(from + i * kLanes) * terms.inverse);
        Vector const sum = value + kRounding;
        auto const distance = (IntVector)absolute(value - (sum - kRounding));
        farthest = distance > farthest ? distance : farthest;
        numbers[i] = (IntVector)sum;
    }
    bool const unsure = !terms.normal || anyLane(farthest > (IntVector)splat(0.4999F));
    if (__builtin_expect(static_cast<long>(unsure), 0) != 0) {
        for (int64_t i = 0; i < kCount; ++i) {
            Vector const value = terms.clamped(loadVector(from + i * kLanes) / terms.scale);
            Vector const result = (value + kRounding) - kRounding;
            IntVector const known = result == result;
            numbers[i] = __builtin_convertvector(known ? result : Vector{}, IntVector) -
                         (terms.zero & ~known);
        }
    }
    for (int64_t i = 0; i < kCount; ++i) {
        WholeVector const whole = __builtin_convertvector(numbers[i] + terms.zero, WholeVector);
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
