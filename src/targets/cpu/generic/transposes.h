// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// to[column * toRow + row] = from[row * fromRow + column]: blocks of 8 by 8 in registers, the rest
// element by element.

/// Interleaves the low and the high halves of pairs of rows, three times over.
template <typename Word>
static inline void transposeBlock(Word const* from, int64_t fromRow, Word* to,
                                  int64_t toRow) noexcept {
    typedef Word Row __attribute__((vector_size(8 * sizeof(Word))));
    Row rows[8];
    Row next[8];
    for (int64_t i = 0; i < 8; ++i) {
        __builtin_memcpy(&rows[i], from + i * fromRow, sizeof(Row));
    }
    auto const interleave = [](Row const* x, Row* y) noexcept {
        for (int64_t i = 0; i < 4; ++i) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
    };
    interleave(rows, next);
    interleave(next, rows);
    interleave(rows, next);
    for (int64_t i = 0; i < 8; ++i) {
        __builtin_memcpy(to + i * toRow, &next[i], sizeof(Row));
    }
}

/// Few rows become dense groups, as of an image with channels last.
template <int64_t kRows, typename Word>
static void interleaveRows(Word const* __restrict from, int64_t fromRow, Word* __restrict to,
                           int64_t columns) noexcept {
    for (int64_t column = 0; column < columns; ++column) {
        for (int64_t row = 0; row < kRows; ++row) {
            to[column * kRows + row] = from[row * fromRow + column];
        }
    }
}

template <typename Word>
static void transposeWords(Word const* from, int64_t fromRow, Word* to, int64_t toRow, int64_t rows,
                           int64_t columns) noexcept {
    if (rows == 3 && toRow == 3) {
        return interleaveRows<3>(from, fromRow, to, columns);
    }
    if (rows == 4 && toRow == 4) {
        return interleaveRows<4>(from, fromRow, to, columns);
    }
    int64_t const wholeRows = rows / 8 * 8;
    int64_t const wholeColumns = columns / 8 * 8;
    for (int64_t column = 0; column < wholeColumns; column += 8) {
        for (int64_t row = 0; row < wholeRows; row += 8) {
            transposeBlock(from + row * fromRow + column, fromRow, to + column * toRow + row,
                           toRow);
        }
    }
    for (int64_t column = 0; column < columns; ++column) {
        int64_t row = column < wholeColumns ? wholeRows : 0;
        for (; row < rows; ++row) {
            to[column * toRow + row] = from[row * fromRow + column];
        }
    }
}

static void transpose32(uint32_t const* from, int64_t fromRow, uint32_t* to, int64_t toRow,
                        int64_t rows, int64_t columns) noexcept {
    transposeWords(from, fromRow, to, toRow, rows, columns);
}

static void transpose16(uint16_t const* from, int64_t fromRow, uint16_t* to, int64_t toRow,
                        int64_t rows, int64_t columns) noexcept {
    transposeWords(from, fromRow, to, toRow, rows, columns);
}

/// Each word twice, in whole vectors: the processor keeps a fixed number of stores that wait for
/// memory.
static inline void doubleRow(uint32_t const* from, uint32_t* to, int64_t count) noexcept {
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        UnsignedVector x;
        __builtin_memcpy(&x, from + i, sizeof(x));
#if defined(__AVX512F__)
        UnsignedVector const low =
            __builtin_shufflevector(x, x, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
        UnsignedVector const high = __builtin_shufflevector(x, x, 8, 8, 9, 9, 10, 10, 11, 11, 12,
                                                            12, 13, 13, 14, 14, 15, 15);
#elif defined(__AVX__)
        UnsignedVector const low = __builtin_shufflevector(x, x, 0, 0, 1, 1, 2, 2, 3, 3);
        UnsignedVector const high = __builtin_shufflevector(x, x, 4, 4, 5, 5, 6, 6, 7, 7);
#else
        UnsignedVector const low = __builtin_shufflevector(x, x, 0, 0, 1, 1);
        UnsignedVector const high = __builtin_shufflevector(x, x, 2, 2, 3, 3);
#endif
        __builtin_memcpy(to + 2 * i, &low, sizeof(low));
        __builtin_memcpy(to + 2 * i + kLanes, &high, sizeof(high));
    }
    typedef uint32_t Four __attribute__((vector_size(16)));
    for (; i + 4 <= count; i += 4) {
        Four x;
        __builtin_memcpy(&x, from + i, sizeof(x));
        Four const low = __builtin_shufflevector(x, x, 0, 0, 1, 1);
        Four const high = __builtin_shufflevector(x, x, 2, 2, 3, 3);
        __builtin_memcpy(to + 2 * i, &low, sizeof(low));
        __builtin_memcpy(to + 2 * i + 4, &high, sizeof(high));
    }
    for (; i < count; ++i) {
        to[2 * i] = to[2 * i + 1] = from[i];
    }
}

/// One row after the other: writing both at once takes long rows half as long again.
static void doubleWords(uint32_t const* from, uint32_t* to, int64_t toRow, int64_t count) noexcept {
    doubleRow(from, to, count);
    doubleRow(from, to + toRow, count);
}
