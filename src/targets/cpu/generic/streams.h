// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of a few rows with a matrix that comes from memory: its time is that of reading it once.
// The hardware prefetches several streams at a time, each within a page of 4 KiB: measured on one
// core, a stream gives 4.4 GB/s, with a prefetch in software 7.4, and four streams 8.1.

constexpr int64_t kAhead = 2048 / sizeof(float);

/// c[piece][kRows][kStreamColumns] += a * b[piece] for kPieces pieces, kGroup columns of each.
template <int64_t kRows, int64_t kPieces>
static void streamGroup(int64_t depth, float const* a, int64_t lda, float const* b, int64_t step,
                        float* c, int64_t cStep) noexcept {
    Vector sums[kPieces][kRows][2];
    for (auto& piece : sums) {
        for (auto& row : piece) {
            row[0] = row[1] = Vector{};
        }
    }
    for (int64_t k = 0; k < depth; ++k) {
        for (int64_t piece = 0; piece < kPieces; ++piece) {
            float const* const from = b + piece * step + k * kStreamColumns;
            if constexpr (kPieces == 1) {
                __builtin_prefetch(from + kAhead);
                __builtin_prefetch(from + kAhead + 16);
            }
            Vector const first = loadVector(from);
            Vector const second = loadVector(from + kLanes);
            for (int64_t row = 0; row < kRows; ++row) {
                float const factor = a[row * lda + k];
                sums[piece][row][0] += factor * first;
                sums[piece][row][1] += factor * second;
            }
        }
    }
    for (int64_t piece = 0; piece < kPieces; ++piece) {
        for (int64_t row = 0; row < kRows; ++row) {
            float* const to = c + piece * cStep + row * kStreamColumns;
            addVector(to, sums[piece][row][0]);
            addVector(to + kLanes, sums[piece][row][1]);
        }
    }
}

/// As many pieces together as have their sums in registers.
template <int64_t kRows>
static void streamPieces(int64_t pieces, int64_t depth, float const* a, int64_t lda, float const* b,
                         int64_t step, float* c, int64_t cStep) noexcept {
    constexpr int64_t kTogether = kRowsAtOnce / kRows >= 4 ? 4 : kRowsAtOnce / kRows >= 2 ? 2 : 1;
    int64_t piece = 0;
    for (; piece + kTogether <= pieces; piece += kTogether) {
        streamGroup<kRows, kTogether>(depth, a, lda, b + piece * step, step, c + piece * cStep,
                                      cStep);
    }
    for (; piece < pieces; ++piece) {
        streamGroup<kRows, 1>(depth, a, lda, b + piece * step, step, c + piece * cStep, cStep);
    }
}

template <int64_t kRows>
static void streamRows(int64_t rows, int64_t pieces, int64_t depth, float const* a, int64_t lda,
                       float const* b, int64_t step, float* c, int64_t cStep) noexcept {
    if constexpr (kRows > 0) {
        if (rows == kRows) {
            streamPieces<kRows>(pieces, depth, a, lda, b, step, c, cStep);
        } else {
            streamRows<kRows - 1>(rows, pieces, depth, a, lda, b, step, c, cStep);
        }
    }
}

static void streamProduct(int64_t rows, int64_t pieces, int64_t depth, float const* a, int64_t lda,
                          float const* b, int64_t step, float* c) noexcept {
    int64_t const cStep = rows * kStreamColumns;
    for (int64_t column = 0; column < kStreamColumns; column += kGroup) {
        for (int64_t row = 0; row < rows; row += kRowsAtOnce) {
            int64_t const count = rows - row < kRowsAtOnce ? rows - row : kRowsAtOnce;
            streamRows<kRowsAtOnce>(count, pieces, depth, a + row * lda, lda, b + column, step,
                                    c + row * kStreamColumns + column, cStep);
        }
    }
}
