// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements of any type from and to float32. float16 and bfloat16 are rounded to nearest even;
// integers are truncated and saturate, and NaN becomes 0. Bools become 0 and 1.

static void halfToFloatArray(Half const* from, float* to, int64_t count) noexcept {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(
            to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i))));
    }
    for (; i < count; ++i) {
        to[i] = _cvtsh_ss(from[i].bits);
    }
#else
    for (; i < count; ++i) {
        to[i] = halfToFloat(from[i].bits);
    }
#endif
}

static void floatToHalfArray(float const* from, Half* to, int64_t count) noexcept {
    int64_t i = 0;
#if defined(__F16C__)
    constexpr int kNearestEven = 0;
    for (; i + 8 <= count; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), kNearestEven));
    }
    for (; i < count; ++i) {
        to[i].bits = _cvtss_sh(from[i], kNearestEven);
    }
#else
    for (; i < count; ++i) {
        to[i].bits = floatToHalf(from[i]);
    }
#endif
}

static void bfloat16ToFloatArray(BFloat16 const* from, float* to, int64_t count) noexcept {
    typedef uint16_t ShortVector __attribute__((vector_size(kLanes * sizeof(uint16_t))));
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        ShortVector bits;
        __builtin_memcpy(&bits, from + i, sizeof(bits));
        storeVector(to + i, (Vector)(__builtin_convertvector(bits, IntVector) << 16));
    }
    for (; i < count; ++i) {
        uint32_t const bits = static_cast<uint32_t>(from[i].bits) << 16;
        __builtin_memcpy(to + i, &bits, sizeof(bits));
    }
}

static void floatToBfloat16Array(float const* from, BFloat16* to, int64_t count) noexcept {
    typedef uint32_t BitVector __attribute__((vector_size(kLanes * sizeof(uint32_t))));
    typedef uint16_t ShortVector __attribute__((vector_size(kLanes * sizeof(uint16_t))));
    auto const narrow = [](Vector x) noexcept {
        BitVector const bits = (BitVector)x;
        BitVector const rounded = bits + 0x7FFF + ((bits >> 16) & 1);
        // A NaN keeps its high bits and becomes quiet.
        return __builtin_convertvector((x == x ? rounded : (bits | 0x400000)) >> 16, ShortVector);
    };
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        ShortVector const bits = narrow(loadVector(from + i));
        __builtin_memcpy(static_cast<void*>(to + i), &bits, sizeof(bits));
    }
    if (i < count) {
        ShortVector const bits = narrow(loadPart(from + i, count - i));
        for (int64_t lane = 0; i < count; ++i, ++lane) {
            to[i].bits = bits[lane];
        }
    }
}

template <typename Whole>
static void wholeToFloatArray(void const* from, float* to, int64_t count) noexcept {
    auto const* __restrict source = static_cast<Whole const*>(from);
    float* __restrict target = to;
    for (int64_t i = 0; i < count; ++i) {
        target[i] = static_cast<float>(source[i]);
    }
}

static void boolToFloatArray(void const* from, float* to, int64_t count) noexcept {
    auto const* __restrict source = static_cast<uint8_t const*>(from);
    float* __restrict target = to;
    for (int64_t i = 0; i < count; ++i) {
        target[i] = static_cast<float>(static_cast<int32_t>(source[i] != 0));
    }
}

template <typename Whole, int kBits>
static void floatToWholeArray(float const* from, void* to, int64_t count) noexcept {
    constexpr bool kSigned = static_cast<Whole>(-1) < static_cast<Whole>(0);
    // As floats: the limit above rounds up to 2^kBits, which is out of range.
    constexpr float kAbove = kSigned ? __builtin_ldexpf(1.0F, kBits - 1) : 256.0F;
    constexpr float kBelow = kSigned ? -kAbove : 0.0F;
    constexpr Whole kMost =
        kSigned ? static_cast<Whole>(~(uint64_t{1} << (kBits - 1))) : static_cast<Whole>(255);
    constexpr Whole kLeast = kSigned ? static_cast<Whole>(~int64_t{kMost}) : static_cast<Whole>(0);
    float const* __restrict source = from;
    auto* __restrict target = static_cast<Whole*>(to);
    for (int64_t i = 0; i < count; ++i) {
        float const x = source[i];
        bool const inside = x < kAbove && x > kBelow;
        auto const whole = static_cast<Whole>(inside ? x : 0.0F);
        target[i] = x >= kAbove ? kMost : x <= kBelow ? kLeast : whole;
    }
}

static void floatToBoolArray(float const* from, void* to, int64_t count) noexcept {
    float const* __restrict source = from;
    auto* __restrict target = static_cast<uint8_t*>(to);
    for (int64_t i = 0; i < count; ++i) {
        target[i] = source[i] != 0.0F ? 1 : 0;
    }
}
