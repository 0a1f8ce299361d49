// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of a few rows with a matrix that comes from memory: its time is that of reading it once.
// The hardware prefetches within pages of 4 KiB; a prefetch in software also crosses them.

constexpr int64_t kAhead = 8192 / sizeof(float); ///< measured: 4 KiB are as fast, 1 KiB slower

template <int64_t kRows, bool kPrefetches>
static void streamRows(int64_t depth, float const* a, int64_t lda, float const* b,
                       float* c) noexcept {
    Vector sums[kRows][2];
    for (auto& row : sums) {
        row[0] = row[1] = Vector{};
    }
    for (int64_t k = 0; k < depth; ++k) {
        if constexpr (kPrefetches) {
            __builtin_prefetch(b + k * kStreamColumns + kAhead, 0, 2);
            __builtin_prefetch(b + k * kStreamColumns + kAhead + 16, 0, 2);
        }
        Vector const first = loadVector(b + k * kStreamColumns);
        Vector const second = loadVector(b + k * kStreamColumns + kLanes);
        for (int64_t row = 0; row < kRows; ++row) {
            float const factor = a[row * lda + k];
            sums[row][0] += factor * first;
            sums[row][1] += factor * second;
        }
    }
    for (int64_t row = 0; row < kRows; ++row) {
        addVector(c + row * kStreamColumns, sums[row][0]);
        addVector(c + row * kStreamColumns + kLanes, sums[row][1]);
    }
}

template <int64_t kRows, bool kPrefetches>
static void streamRest(int64_t rows, int64_t depth, float const* a, int64_t lda, float const* b,
                       float* c) noexcept {
    if constexpr (kRows > 0) {
        if (rows == kRows) {
            streamRows<kRows, kPrefetches>(depth, a, lda, b, c);
        } else {
            streamRest<kRows - 1, kPrefetches>(rows, depth, a, lda, b, c);
        }
    }
}

static void streamProduct(int64_t rows, int64_t depth, float const* a, int64_t lda, float const* b,
                          float* c) noexcept {
    for (int64_t column = 0; column < kStreamColumns; column += kGroup) {
        for (int64_t row = 0; row < rows; row += kRowsAtOnce) {
            int64_t const count = rows - row < kRowsAtOnce ? rows - row : kRowsAtOnce;
            float* const to = c + row * kStreamColumns + column;
            if (row == 0 && column == 0) {
                streamRest<kRowsAtOnce, true>(count, depth, a, lda, b, to);
            } else {
                streamRest<kRowsAtOnce, false>(count, depth, a + row * lda, lda, b + column, to);
            }
        }
    }
}
