// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of Isa, written once with the compiler's vector types. Each isa/<set>/functions.cpp
// includes this file inside its own namespace, so it has no include guard. Code here must not call
// inline functions from elsewhere when compiled for more than the baseline: the linker could use
// that copy for the whole library.

#if defined(__AVX512F__)
constexpr int64_t kLanes = 16;
constexpr int64_t kRowsAtOnce = 12; // 24 sums, 2 columns and 1 factor fit 32 registers
#elif defined(__AVX__)
constexpr int64_t kLanes = 8;
constexpr int64_t kRowsAtOnce = 6; // 12 sums, 2 columns and 1 factor fit 16 registers
#else
constexpr int64_t kLanes = 4;
constexpr int64_t kRowsAtOnce = 6;
#endif
constexpr int64_t kGroup = 2 * kLanes; // columns computed together

typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));

static inline Vector loadVector(float const* from) noexcept {
    Vector result;
    __builtin_memcpy(&result, from, sizeof(result));
    return result;
}

static inline void addVector(float* to, Vector value) noexcept {
    value += loadVector(to);
    __builtin_memcpy(to, &value, sizeof(value));
}

/// Computes kRows rows by kGroup columns with all sums in registers.
template <int64_t kRows>
static void groupProduct(int64_t depth, float const* a, int64_t lda, float const* b, int64_t ldb,
                         float* c) noexcept {
    Vector sums[kRows][2] = {};
    for (int64_t k = 0; k < depth; ++k) {
        Vector const first = loadVector(b + k * ldb);
        Vector const second = loadVector(b + k * ldb + kLanes);
        for (int64_t row = 0; row < kRows; ++row) {
            float const factor = a[row * lda + k];
            sums[row][0] += factor * first;
            sums[row][1] += factor * second;
        }
    }
    for (int64_t row = 0; row < kRows; ++row) {
        addVector(c + row * kTileColumns, sums[row][0]);
        addVector(c + row * kTileColumns + kLanes, sums[row][1]);
    }
}

/// The remaining rows, fewer than kRowsAtOnce.
template <int64_t kRows>
static void restProduct(int64_t rows, int64_t depth, float const* a, int64_t lda, float const* b,
                        int64_t ldb, float* c) noexcept {
    if constexpr (kRows > 0) {
        if (rows == kRows) {
            groupProduct<kRows>(depth, a, lda, b, ldb, c);
        } else {
            restProduct<kRows - 1>(rows, depth, a, lda, b, ldb, c);
        }
    }
}

static void tileProduct(int64_t rows, int64_t columns, int64_t depth, float const* a, int64_t lda,
                        float const* b, int64_t ldb, float* c) noexcept {
    for (int64_t column = 0; column < columns; column += kGroup) {
        int64_t row = 0;
        for (; row + kRowsAtOnce <= rows; row += kRowsAtOnce) {
            groupProduct<kRowsAtOnce>(depth, a + row * lda, lda, b + column, ldb,
                                      c + row * kTileColumns + column);
        }
        restProduct<kRowsAtOnce - 1>(rows - row, depth, a + row * lda, lda, b + column, ldb,
                                     c + row * kTileColumns + column);
    }
}

typedef int32_t IntVector __attribute__((vector_size(kLanes * sizeof(float))));

/// exp of each lane: 2^n * exp(r) with |r| <= ln(2) / 2 and a polynomial of degree 6 for exp(r).
/// Coefficients: Cephes expf (Moshier). Below -87.3 the result is 0 (no subnormals), above 88.7
/// infinity; NaN stays NaN.
static inline Vector expVector(Vector x) noexcept {
    Vector const low = Vector{} - 87.33F;
    Vector const high = Vector{} + 88.72F;
    Vector const inside = x < low ? low : (x > high ? high : x);
    Vector const scaled = inside * 1.44269504F;
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    Vector const rounder = Vector{} + 12582912.0F;
    Vector const shifted = scaled + rounder;
    Vector const n = shifted - rounder;
    Vector const r = inside - n * 0.693359375F + n * 2.12194440e-4F;
    Vector p = 1.9875691500e-4F * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    // 2^n as two factors, because 2^128 is not a float.
    IntVector const exponent = (IntVector)shifted - (IntVector)rounder;
    IntVector const half = exponent >> 1;
    IntVector const rest = exponent - half;
    Vector const result = p * (Vector)((half + 127) << 23) * (Vector)((rest + 127) << 23);
    Vector const limited = x < low ? Vector{} : (x > high ? Vector{} + __builtin_inff() : result);
    return x == x ? limited : x;
}

static float expArray(float const* from, float shift, float* to, int64_t count) noexcept {
    Vector sums = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Vector const value = expVector(loadVector(from + i) - shift);
        __builtin_memcpy(to + i, &value, sizeof(value));
        sums += value;
    }
    float sum = 0.0F;
    if (i < count) { // the last vector, padded with zeros
        float last[kLanes] = {};
        __builtin_memcpy(last, from + i, static_cast<unsigned long>(count - i) * sizeof(float));
        Vector const value = expVector(loadVector(last) - shift);
        __builtin_memcpy(last, &value, sizeof(value));
        __builtin_memcpy(to + i, last, static_cast<unsigned long>(count - i) * sizeof(float));
        for (int64_t lane = 0; lane < count - i; ++lane) {
            sum += last[lane];
        }
    }
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        sum += sums[lane];
    }
    return sum;
}

static float maximumArray(float const* from, int64_t count) noexcept {
    Vector largest = Vector{} - __builtin_inff();
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Vector const value = loadVector(from + i);
        largest = value > largest ? value : largest;
    }
    float result = -__builtin_inff();
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        result = largest[lane] > result ? largest[lane] : result;
    }
    for (; i < count; ++i) {
        result = from[i] > result ? from[i] : result;
    }
    return result;
}

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
