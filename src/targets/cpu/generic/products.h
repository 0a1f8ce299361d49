// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of matrix products.

#if defined(__AVX512F__)
constexpr int64_t kRowsAtOnce = 12; // 24 sums, 2 columns and 1 factor fit 32 registers
#else
constexpr int64_t kRowsAtOnce = 6; // 12 sums, 2 columns and 1 factor fit 16 registers
#endif
constexpr int64_t kGroup = 2 * kLanes; // columns computed together

static inline void addVector(float* to, Vector value) noexcept {
    value += loadVector(to);
    __builtin_memcpy(to, &value, sizeof(value));
}

/// Computes kRows rows by kGroup columns with all sums in registers.
template <int64_t kRows>
static void groupProduct(int64_t depth, float const* a, int64_t lda, float const* b, int64_t ldb,
                         float* c) noexcept {
    Vector sums[kRows][2];
    for (auto& row : sums) { // "= {}" would also clear them in memory
        row[0] = row[1] = Vector{};
    }
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
