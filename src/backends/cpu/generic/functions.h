// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of Isa, written once with the compiler's vector types. Included by each
// isa/<set>/functions.cpp inside a namespace of its own, hence no include guard. Nothing here may
// call an inline function from elsewhere where the compiler may use more than the baseline: the
// linker could take that copy for the whole library.

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

/// kRows rows by kGroup columns, all sums in registers.
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

/// The last rows, fewer than kRowsAtOnce.
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
