// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of 8 and 4 bits, as in base/narrow_numbers.h.

typedef uint8_t ByteVector __attribute__((vector_size(kLanes)));

/// E4M3.
static void fp8ToFloatArray(uint8_t const* from, float* to, int64_t count) noexcept {
    auto const widen = [](ByteVector bits) noexcept {
        IntVector const number = __builtin_convertvector(bits, IntVector);
        IntVector const rest = number & 0x7F;
        Vector const normal = (Vector)((rest << 20) + (120 << 23));
        Vector const subnormal = __builtin_convertvector(rest, Vector) * 0x1p-9F;
        Vector const finite = rest < 8 ? subnormal : normal;
        IntVector const magnitude = rest == 0x7F ? IntVector{} + 0x7FC00000 : (IntVector)finite;
        return (Vector)(magnitude | (number & 0x80) << 24);
    };
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        ByteVector bits;
        __builtin_memcpy(&bits, from + i, sizeof(bits));
        storeVector(to + i, widen(bits));
    }
    if (i < count) {
        ByteVector bits{};
        for (int64_t lane = 0; i + lane < count; ++lane) {
            bits[lane] = from[i + lane];
        }
        storePart(to + i, widen(bits), count - i);
    }
}

/// Calls narrow(Vector), which gives integers, for an array, and stores their low bytes.
template <typename Narrow>
static inline void narrowedArray(float const* from, uint8_t* to, int64_t count,
                                 Narrow narrow) noexcept {
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        ByteVector const bits = __builtin_convertvector(narrow(loadVector(from + i)), ByteVector);
        __builtin_memcpy(to + i, &bits, sizeof(bits));
    }
    if (i < count) {
        ByteVector const bits =
            __builtin_convertvector(narrow(loadPart(from + i, count - i)), ByteVector);
        for (int64_t lane = 0; i < count; ++i, ++lane) {
            to[i] = bits[lane];
        }
    }
}

/// E4M3: to nearest even, saturating; NaN stays.
static void floatToFp8Array(float const* from, uint8_t* to, int64_t count) noexcept {
    narrowedArray(from, to, count, [](Vector x) noexcept {
        IntVector const rest = (IntVector)x & 0x7FFFFFFF;
        IntVector const sign = ((IntVector)x >> 24) & 0x80;
        IntVector const normal = ((rest + 0x7FFFF + ((rest >> 20) & 1)) >> 20) - (120 << 3);
        // Below 2^-6, the addition rounds.
        IntVector const subnormal = (IntVector)(absolute(x) + 16384.0F) - 0x46800000;
        IntVector const finite = rest < 0x3C800000 ? subnormal : normal;
        IntVector const limited = rest >= 0x43E00000 ? IntVector{} + 0x7E : finite; // 448
        return (rest > 0x7F800000 ? IntVector{} + 0x7F : limited) | sign;
    });
}

/// E2M1, a code in each byte; NaN gives 6.
static void floatToFp4Array(float const* from, uint8_t* to, int64_t count) noexcept {
    narrowedArray(from, to, count, [](Vector x) noexcept {
        Vector const size = absolute(x);
        // Each comparison that holds is -1. Ties go to even codes.
        IntVector const code =
            -((size > splat(0.25F)) + (size >= splat(0.75F)) + (size > splat(1.25F)) +
              (size >= splat(1.75F)) + (size > splat(2.5F)) + (size >= splat(3.5F)) +
              (size > splat(5.0F)));
        return (x == x ? code | (((IntVector)x >> 28) & 8) : IntVector{} + 7);
    });
}

/// to[i] = table[nibble i]; the first nibble of a byte has its low bits.
static void nibblesToFloatArray(uint8_t const* from, float const* table, float* to,
                                int64_t count) noexcept {
    int64_t i = 0;
#if defined(__AVX512F__)
    __m512 const numbers = _mm512_loadu_ps(table);
    __m128i const low = _mm_set1_epi8(15);
    for (; i + 16 <= count; i += 16) {
        __m128i const bytes = _mm_loadl_epi64(reinterpret_cast<__m128i const*>(from + i / 2));
        __m128i const high = _mm_and_si128(_mm_srli_epi16(bytes, 4), low);
        __m128i const codes = _mm_unpacklo_epi8(_mm_and_si128(bytes, low), high);
        _mm512_storeu_ps(to + i, _mm512_maskz_permutexvar_ps(
                                     0xFFFF, _mm512_maskz_cvtepu8_epi32(0xFFFF, codes), numbers));
    }
#endif
    for (; i < count; ++i) {
        to[i] = table[(from[i / 2] >> (i % 2 * 4)) & 15];
    }
}

/// Two codes of 4 bits to a byte; the other half of a last byte becomes 0.
static void packNibblesArray(uint8_t const* __restrict codes, uint8_t* __restrict to,
                             int64_t count) noexcept {
    int64_t const whole = count / 2;
    for (int64_t i = 0; i < whole; ++i) {
        uint16_t pair = 0;
        __builtin_memcpy(&pair, codes + 2 * i, sizeof(pair));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        to[i] = static_cast<uint8_t>((pair & 15U) | (pair >> 4U & 0xF0U));
#else
        to[i] = static_cast<uint8_t>((pair >> 8U & 15U) | (pair << 4U & 0xF0U));
#endif
    }
    if (count % 2 != 0) {
        to[whole] = codes[count - 1] & 15U;
    }
}
