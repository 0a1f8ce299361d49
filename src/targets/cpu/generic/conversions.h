// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// float16 and bfloat16 from and to float32, rounded to nearest even.

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
