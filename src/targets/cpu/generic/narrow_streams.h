// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with weights of 4 or 8 bits, which become floats in registers. Each block of a sum is
// made of whole numbers, and the scale follows: so a scale costs one operation for a block of it.

constexpr int64_t kNarrowAhead = 2048; // bytes that are prefetched
constexpr int64_t kSumTerms = 128;     // of a partial sum, as in few_rows.cpp
constexpr int64_t kNarrowRows = kRowsAtOnce < 8 ? kRowsAtOnce : 8;

/// kLanes bytes as integers. GCC 12 converts vectors of bytes one by one.
template <bool kSigned>
static inline IntVector widenedBytes(uint8_t const* from) noexcept {
#if defined(__AVX512F__)
    __m128i const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from));
    return (IntVector)(kSigned ? _mm512_maskz_cvtepi8_epi32(0xFFFF, bytes)
                               : _mm512_maskz_cvtepu8_epi32(0xFFFF, bytes));
#elif defined(__AVX2__)
    __m128i const bytes = _mm_loadl_epi64(reinterpret_cast<__m128i const*>(from));
    return (IntVector)(kSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes));
#else
    typedef int8_t SignedBytes __attribute__((vector_size(kLanes)));
    ByteVector bytes;
    __builtin_memcpy(&bytes, from, sizeof(bytes));
    return kSigned ? __builtin_convertvector((SignedBytes)bytes, IntVector)
                   : __builtin_convertvector(bytes, IntVector);
#endif
}

/// kLanes numbers of a row of a piece, from a column on.
template <NarrowKind kKind>
static inline Vector narrowVector(uint8_t const* row, int64_t column) noexcept {
    if constexpr (kKind == NarrowKind::kNibbles) {
        constexpr int64_t kHalf = kStreamColumns / 2;
        IntVector const wide = widenedBytes<false>(row + column % kHalf);
#if defined(__AVX512F__)
        __m512 const numbers =
            _mm512_set_ps(-1, -2, -3, -4, -5, -6, -7, -8, 7, 6, 5, 4, 3, 2, 1, 0);
        __m512i const codes = (__m512i)(column < kHalf ? wide : wide >> 4);
        return (Vector)_mm512_maskz_permutexvar_ps(0xFFFF, codes, numbers); // by the low 4 bits
#else
        UnsignedVector const high = (UnsignedVector)wide << (column < kHalf ? 28 : 24);
        return __builtin_convertvector((IntVector)high >> 28, Vector);
#endif
    } else {
        return __builtin_convertvector(widenedBytes<kKind == NarrowKind::kSigned>(row + column),
                                       Vector);
    }
}

/// totals[kRows][kStreamColumns] += a[kRows][depth] * numbers * scales, for kGroup columns.
template <NarrowKind kKind, int64_t kRows>
static inline void narrowBlock(int64_t depth, float const* a, int64_t lda, uint8_t const* numbers,
                               int64_t column, float const* scales, float* totals) noexcept {
    constexpr int64_t kBytes = narrowRowBytes(kKind);
    constexpr int64_t kTogether = 4 * kRows <= kRowsAtOnce ? 2 : 1; // sums that do not wait
    Vector sums[kTogether][kRows][2];
    for (auto& some : sums) {
        for (auto& row : some) {
            row[0] = row[1] = Vector{};
        }
    }
    for (int64_t byte = 0; byte < depth * kBytes; byte += 64) {
        __builtin_prefetch(numbers + byte + kNarrowAhead);
    }
    auto const add = [&](int64_t k, Vector(&to)[kRows][2]) noexcept {
        Vector const first = narrowVector<kKind>(numbers + k * kBytes, column);
        Vector const second = narrowVector<kKind>(numbers + k * kBytes, column + kLanes);
        for (int64_t row = 0; row < kRows; ++row) {
            float const factor = a[row * lda + k];
            to[row][0] += factor * first;
            to[row][1] += factor * second;
        }
    };
    int64_t k = 0;
    for (; k + kTogether <= depth; k += kTogether) {
        for (int64_t i = 0; i < kTogether; ++i) {
            add(k + i, sums[i]);
        }
    }
    for (; k < depth; ++k) {
        add(k, sums[0]);
    }
    Vector const factors[2] = {loadVector(scales), loadVector(scales + kLanes)};
    for (int64_t row = 0; row < kRows; ++row) {
        for (int64_t half = 0; half < 2; ++half) {
            Vector sum = sums[0][row][half];
            if constexpr (kTogether == 2) {
                sum += sums[1][row][half];
            }
            addVector(totals + row * kStreamColumns + half * kLanes, sum * factors[half]);
        }
    }
}

template <NarrowKind kKind, int64_t kRows>
static void narrowPiece(NarrowPiece const& piece, float const* a, int64_t lda,
                        float* totals) noexcept {
    constexpr int64_t kBytes = narrowRowBytes(kKind);
    for (int64_t block = 0; block * piece.block < piece.inner; ++block) {
        int64_t const end =
            (block + 1) * piece.block < piece.inner ? (block + 1) * piece.block : piece.inner;
        for (int64_t k = block * piece.block; k < end; k += kSumTerms) {
            int64_t const depth = end - k < kSumTerms ? end - k : kSumTerms;
            for (int64_t column = 0; column < kStreamColumns; column += kGroup) {
                narrowBlock<kKind, kRows>(depth, a + k, lda, piece.numbers + k * kBytes, column,
                                          piece.scales + block * kStreamColumns + column,
                                          totals + column);
            }
        }
    }
}

template <NarrowKind kKind, int64_t kRows>
static void narrowRows(int64_t rows, NarrowPiece const& piece, float const* a, int64_t lda,
                       float* totals) noexcept {
    if constexpr (kRows > 0) {
        if (rows == kRows) {
            narrowPiece<kKind, kRows>(piece, a, lda, totals);
        } else {
            narrowRows<kKind, kRows - 1>(rows, piece, a, lda, totals);
        }
    }
}

template <NarrowKind kKind>
static void narrowProduct(NarrowPiece const& piece, int64_t rows, float const* a, int64_t lda,
                          float* totals) noexcept {
    for (int64_t row = 0; row < rows; row += kNarrowRows) {
        int64_t const count = rows - row < kNarrowRows ? rows - row : kNarrowRows;
        narrowRows<kKind, kNarrowRows>(count, piece, a + row * lda, lda,
                                       totals + row * kStreamColumns);
    }
}

/// to[k - begin][kStreamColumns] = numbers * scales, with rows that are toRow apart.
template <NarrowKind kKind>
static void narrowToFloat(NarrowPiece const& piece, int64_t begin, int64_t end, float* to,
                          int64_t toRow) noexcept {
    for (int64_t k = begin; k < end; ++k, to += toRow) {
        float const* const scales = piece.scales + k / piece.block * kStreamColumns;
        for (int64_t column = 0; column < kStreamColumns; column += kLanes) {
            Vector const numbers =
                narrowVector<kKind>(piece.numbers + k * narrowRowBytes(kKind), column);
            storeVector(to + column, numbers * loadVector(scales + column));
        }
    }
}
