// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/bfloat16.h"
#include "base/half.h"
#include "targets/cpu/narrow_piece.h"
#include "targets/cpu/vector_functions.h"
#include "targets/cpu/winograd/tiles.h"

namespace kiln::targets::cpu {

/// Columns of one tile of a matrix product: the row length of c, and of b if it is packed.
constexpr int64_t kTileColumns = 64;

/// The functions that are compiled once for each instruction set, from the sources in generic/.
struct Isa {
    char const* name; ///< as returned by processorArchitecture()

    /// c[rows][columns] += a[rows][depth] * b[depth][columns]. Row lengths are lda, ldb and
    /// kTileColumns. Columns are computed in groups of 8 to 32: b and c need columns up to the next
    /// multiple of 32 (at most kTileColumns).
    void (*tileProduct)(int64_t rows, int64_t columns, int64_t depth, float const* a, int64_t lda,
                        float const* b, int64_t ldb, float* c) noexcept;
    /// c[piece][rows][kStreamColumns] += a[rows][depth] * b[depth][kStreamColumns], with rows of a
    /// that are lda apart and pieces of b that are `step` apart. Reads pieces side by side.
    void (*streamProduct)(int64_t rows, int64_t pieces, int64_t depth, float const* a, int64_t lda,
                          float const* b, int64_t step, float* c) noexcept;
    void (*halfToFloat)(Half const* from, float* to, int64_t count) noexcept;
    void (*floatToHalf)(float const* from, Half* to, int64_t count) noexcept;
    void (*bfloat16ToFloat)(BFloat16 const* from, float* to, int64_t count) noexcept;
    void (*floatToBfloat16)(float const* from, BFloat16* to, int64_t count) noexcept;
    /// Integers and bools, by WholeType.
    void (*wholeToFloat[kWholeTypes])(void const* from, float* to, int64_t count) noexcept;
    void (*floatToWhole[kWholeTypes])(float const* from, void* to, int64_t count) noexcept;

    void (*fp8ToFloat)(uint8_t const* from, float* to, int64_t count) noexcept;
    void (*floatToFp8)(float const* from, uint8_t* to, int64_t count) noexcept;
    void (*floatToFp4)(float const* from, uint8_t* codes, int64_t count) noexcept;
    /// to[i] = table[nibble i]; the first nibble of a byte has its low bits.
    void (*nibblesToFloat)(uint8_t const* from, float const* table, float* to,
                           int64_t count) noexcept;
    /// Two codes, of which the low 4 bits count, to a byte.
    void (*packNibbles)(uint8_t const* codes, uint8_t* to, int64_t count) noexcept;
    /// totals[rows][kStreamColumns] += a[rows][inner] * numbers * scales, by NarrowKind.
    void (*narrowProduct[kNarrowKinds])(NarrowPiece const& piece, int64_t rows, float const* a,
                                        int64_t lda, float* totals) noexcept;
    /// to[k - begin][kStreamColumns] = numbers * scales, with rows that are toRow apart.
    void (*narrowToFloat[kNarrowKinds])(NarrowPiece const& piece, int64_t begin, int64_t end,
                                        float* to, int64_t toRow) noexcept;

    /// Results may be written over operands. generic/exponentials.h and powers.h give the errors.
    Map maps[kMapFunctions];
    Combine combines[kCombineFunctions][3]; ///< by CombineForm
    /// The same with stores past the caches, for results larger than these: memory is not read
    /// before it is written, and the caches keep what they hold. Null for functions that take
    /// longer than the memory. Other threads see the results after endPastCaches().
    Map mapsPastCaches[kMapFunctions];
    Combine combinesPastCaches[kCombineFunctions][3];
    void (*endPastCaches)() noexcept;
    /// to[i] = condition[i] != 0 ? x[i] : y[i]
    void (*choose)(float const* condition, float const* x, float const* y, float* to,
                   int64_t count) noexcept;

    Fold folds[kFoldFunctions];
    Accumulate accumulates[kFoldFunctions];
    RowMoments (*moments)(float const* x, int64_t count) noexcept;
    double (*sumOfSquares)(float const* x, int64_t count) noexcept;
    /// to[i] = (x[i] - mean) * factor * scale[i] + shift[i]; scale and shift may be null.
    void (*normalize)(float const* x, double mean, double factor, float const* scale,
                      float const* shift, float* to, int64_t count) noexcept;
    /// to[i] = exp(from[i] - shift), to two units in the last place; returns their sum. In-place
    /// use is allowed.
    float (*exp)(float const* from, float shift, float* to, int64_t count) noexcept;
    float (*maximum)(float const* from, int64_t count) noexcept; ///< ignores NaN; none: -infinity
    /// to[i] = exp(from[i] - maximum), divided by their sum. In-place use is allowed.
    void (*softmax)(float const* from, float* to, int64_t count) noexcept;

    /// c[rows][columns] = or += a * b, by index, with a[row * rowStep + k * depthStep] and rows of
    /// kTileColumns in b and c. Columns are computed in groups of up to 32.
    void (*stridedProduct[2])(int64_t rows, int64_t columns, int64_t depth, float const* a,
                              int64_t rowStep, int64_t depthStep, float const* b,
                              float* c) noexcept;
    /// scores[rows][kTileColumns] += numbers, by row
    void (*addToRows)(int64_t rows, int64_t columns, float const* numbers, float* scores) noexcept;
    /// One step of softmaxes along the keys, one for each column of scores[keys][kTileColumns]:
    /// updates the maxima and the sums, replaces scores by exp(score - maximum), and gives the
    /// factors by which the results of earlier steps change. At the start, maxima are -infinity and
    /// sums 0. Columns are computed in groups of up to 32.
    void (*softmaxStep)(int64_t keys, int64_t columns, float* scores, float* maxima, float* sums,
                        float* factors) noexcept;
    /// values[rows][kTileColumns] *= factors, by column
    void (*scaleColumns)(int64_t rows, int64_t columns, float const* factors,
                         float* values) noexcept;
    /// to[i] = sum over k < size of x[k] * y[i * step + k]
    void (*dots)(float const* x, float const* y, int64_t step, int64_t size, int64_t count,
                 float* to) noexcept;
    /// to[i] += sum over k < count of weights[k] * x[k * step + i]
    void (*weightedSum)(float const* weights, int64_t count, float const* x, int64_t step,
                        int64_t width, float* to) noexcept;

    Slide slideSum;
    Slide slideMaximum;

    WindowFunction windowFilter;
    WindowFunction windowSum;
    WindowFunction windowMaximum; ///< a NaN stays

    /// By the side of a tile: 2 and 4. See generic/winograd.h.
    void (*winogradInput[2])(WinogradTiles const& tiles, float const* patch, float* to) noexcept;
    void (*winogradOutput[2])(WinogradTiles const& tiles, float const* sums,
                              WinogradFinish const& finish, float* patch) noexcept;
    /// c[rows][kWinogradMaps] = a[rows][depth] * b[depth][kWinogradMaps], with rows of a that are
    /// lda apart. next: the b of the next call, which is fetched meanwhile.
    void (*winogradProduct)(int64_t rows, int64_t depth, float const* a, int64_t lda,
                            float const* b, float* c, float const* next) noexcept;

    /// To int8 and uint8. NaN becomes 0.
    void (*quantize[2])(float const* from, WholeScale const& how, void* to, int64_t count) noexcept;
    /// By int32 and int64 indices; words outside are 0.
    void (*gather32[2])(GatherRow const& row, void const* indices, uint32_t* to,
                        int64_t count) noexcept;
    /// to[i] = sum over taps of weights[tap * step + i] * from[at[tap * step + i]]. What has weight
    /// 0 counts as 0, also where an infinite number or NaN is; all places are inside of `from`.
    void (*weightedGather)(float const* from, int32_t const* at, float const* weights, int64_t step,
                           int64_t taps, float* to, int64_t count) noexcept;

    /// to[column * toRow + row] = from[row * fromRow + column]
    void (*transpose32)(uint32_t const* from, int64_t fromRow, uint32_t* to, int64_t toRow,
                        int64_t rows, int64_t columns) noexcept;
    void (*transpose16)(uint16_t const* from, int64_t fromRow, uint16_t* to, int64_t toRow,
                        int64_t rows, int64_t columns) noexcept;
    /// Each word twice, to two rows that are toRow apart and alike.
    void (*doubleWords)(uint32_t const* from, uint32_t* to, int64_t toRow, int64_t count) noexcept;
};

/// The instruction sets of this processor, most basic first. Allocates nothing: kernels call it.
std::span<Isa const> usableIsas() noexcept;

/// The best of usableIsas().
Isa const& isa() noexcept;

// Each is defined in isa/<set>/functions.cpp.
namespace baseline {
extern Isa const kIsa;
}
#if defined(__x86_64__)
namespace x86_64_v3 {
extern Isa const kIsa;
}
namespace x86_64_v4 {
extern Isa const kIsa;
}
#endif

} // namespace kiln::targets::cpu
