// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors of floats with the compiler's vector types, and loops over arrays. Each
// isa/<set>/functions.cpp includes the files of this folder inside its own namespace, so they have
// no include guards. Code here must not call inline functions from elsewhere when compiled for more
// than the baseline: the linker could use that copy for the whole library.

#if defined(__AVX512F__)
constexpr int64_t kLanes = 16;
#elif defined(__AVX__)
constexpr int64_t kLanes = 8;
#else
constexpr int64_t kLanes = 4;
#endif

typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
typedef int32_t IntVector __attribute__((vector_size(kLanes * sizeof(float))));
// Wraps, where IntVector must not overflow.
typedef uint32_t UnsignedVector __attribute__((vector_size(kLanes * sizeof(float))));
// Half as many lanes: the floats that one vector of doubles takes.
typedef float HalfVector __attribute__((vector_size(kLanes / 2 * sizeof(float))));
typedef double WideVector __attribute__((vector_size(kLanes / 2 * sizeof(double))));
typedef int64_t WideIntVector __attribute__((vector_size(kLanes / 2 * sizeof(double))));
typedef uint64_t WideUnsignedVector __attribute__((vector_size(kLanes / 2 * sizeof(double))));

static inline Vector splat(float value) noexcept {
    return value - Vector{}; // 0 - 0 keeps the sign, 0 + 0 would not
}

static inline Vector loadVector(float const* from) noexcept {
    Vector result;
    __builtin_memcpy(&result, from, sizeof(result));
    return result;
}

static inline void storeVector(float* to, Vector value) noexcept {
    __builtin_memcpy(to, &value, sizeof(value));
}

/// The first `count` lanes, fewer than kLanes; zeros in the others.
static inline Vector loadPart(float const* from, int64_t count) noexcept {
#if defined(__AVX512F__)
    return (Vector)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1U), from);
#else
    float padded[kLanes] = {};
    for (int64_t lane = 0; lane < count; ++lane) {
        padded[lane] = from[lane];
    }
    return loadVector(padded);
#endif
}

static inline void storePart(float* to, Vector value, int64_t count) noexcept {
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1U), (__m512)value);
#else
    float padded[kLanes];
    storeVector(padded, value);
    for (int64_t lane = 0; lane < count; ++lane) {
        to[lane] = padded[lane];
    }
#endif
}

static inline Vector absolute(Vector x) noexcept {
    return (Vector)((IntVector)x & 0x7FFFFFFF);
}

/// The magnitude of one vector with the signs of another.
static inline Vector withSign(Vector magnitude, Vector sign) noexcept {
    return (Vector)(((IntVector)magnitude & 0x7FFFFFFF) | ((IntVector)sign & INT32_MIN));
}

/// x > y ? x : y, and x < y ? x : y: y if either is NaN.
static inline Vector largerOf(Vector x, Vector y) noexcept {
#if defined(__AVX512F__)
    return (Vector)_mm512_maskz_max_ps(0xFFFF, (__m512)x, (__m512)y);
#elif defined(__AVX__)
    return (Vector)_mm256_max_ps((__m256)x, (__m256)y);
#else
    return x > y ? x : y;
#endif
}

static inline Vector smallerOf(Vector x, Vector y) noexcept {
#if defined(__AVX512F__)
    return (Vector)_mm512_maskz_min_ps(0xFFFF, (__m512)x, (__m512)y);
#elif defined(__AVX__)
    return (Vector)_mm256_min_ps((__m256)x, (__m256)y);
#else
    return x < y ? x : y;
#endif
}

static inline Vector squareRoot(Vector x) noexcept {
#if defined(__AVX512F__)
    return (Vector)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)x);
#elif defined(__AVX__)
    return (Vector)_mm256_sqrt_ps((__m256)x);
#else
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        x[lane] = __builtin_sqrtf(x[lane]);
    }
    return x;
#endif
}

/// Whether any lane of a comparison holds.
static inline bool anyLane(IntVector mask) noexcept {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#else
    int32_t any = 0;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        any |= mask[lane];
    }
    return any != 0;
#endif
}

/// The nearest whole number, ties to even. Lanes of 2^23 and more are whole already.
static inline Vector nearestWhole(Vector x) noexcept {
    Vector const rounder = withSign(splat(8388608.0F), x);
    Vector const rounded = (x + rounder) - rounder;
    return absolute(x) < splat(8388608.0F) ? withSign(rounded, x) : x;
}

static inline WideVector widened(HalfVector x) noexcept {
    return __builtin_convertvector(x, WideVector);
}

struct TwoWide {
    WideVector low;
    WideVector high;
};

static inline TwoWide widened(Vector x) noexcept {
    HalfVector halves[2];
    __builtin_memcpy(halves, &x, sizeof(x));
    return {widened(halves[0]), widened(halves[1])};
}

static inline Vector narrowed(TwoWide x) noexcept {
    HalfVector const halves[2] = {__builtin_convertvector(x.low, HalfVector),
                                  __builtin_convertvector(x.high, HalfVector)};
    Vector result;
    __builtin_memcpy(&result, halves, sizeof(result));
    return result;
}
