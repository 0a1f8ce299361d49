// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions with a scale for each element of the innermost axis, as data with channels last has
// them. A thread keeps the factors of a vector of columns and goes down the rows. A block has
// `across` vectors side by side, so that neighbouring threads have neighbouring vectors, and
// kRowsOfThread rows for each of the others.
#pragma once

#include "quantized_vectors.cuh"

constexpr int kRowsOfThread = 16;

/// Factors for each element of a vector.
template <typename Factors, int kWidth>
struct ColumnFactors {
    Factors each[kWidth];
    bool areNormal;

    __device__ Factors const& at(int i) const { return each[i]; }
    __device__ bool isNormal() const { return areNormal; }

    template <typename FactorsAt>
    __device__ void load(FactorsAt factorsAt, int64_t first) {
        areNormal = true;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            each[i] = factorsAt(first + i);
            areNormal = areNormal && each[i].isNormal;
        }
    }
};

/// Each row is of whole vectors. Blocks: for each `across` vectors of a row, and each group of
/// rows.
template <typename Factors, typename From, typename To, typename FactorsAt, typename Converted>
__device__ inline void convertColumns(QuantizedBlocks const& blocks, From const* from, To* to,
                                      FactorsAt factorsAt, Converted converted) {
    constexpr int kWidth = kWidthOf<From, To>;
    FastDivide const& columns = blocks.loops[blocks.rank - 1].extent;
    int const vectors = static_cast<int>(columns.divisor / kWidth); // of a row
    int const across = blocks.across;
    int const down = static_cast<int>(blockDim.x) / across;
    int64_t const rows = columns.divisor == 0 ? 0 : quotientOf(columns, blocks.count);
    int const sides = (vectors + across - 1) / across;
    int64_t const group = static_cast<int64_t>(blockIdx.x) / sides;
    int const side = static_cast<int>(static_cast<int64_t>(blockIdx.x) - group * sides);
    int const inBlock = static_cast<int>(threadIdx.x) / across;
    int const vector = side * across + static_cast<int>(threadIdx.x) - inBlock * across;
    int64_t const firstRow = group * (down * kRowsOfThread) + inBlock;
    if (inBlock >= down || vector >= vectors || firstRow >= rows) {
        return;
    }
    bool const aligned = isAlignedVector<kWidth>(from) && isAlignedVector<kWidth>(to);
    int64_t const column = static_cast<int64_t>(vector) * kWidth;
    int64_t base = scaleIndex(blocks, firstRow, blocks.rank - 1);
    ColumnFactors<Factors, kWidth> factors;
    factors.load(factorsAt, base + column);
#pragma unroll 1
    for (int i = 0; i < kRowsOfThread; i += kSlots) {
        Vector<From, kWidth> held[kSlots];
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            int64_t const row = firstRow + (i + slot) * down;
            if (aligned && row < rows) {
                held[slot] = loadVector<kWidth>(from, row * vectors + vector);
            }
        }
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            int64_t const row = firstRow + (i + slot) * down;
            if (row >= rows) {
                return;
            }
            if (blocks.rank > 1) {
                int64_t const own = scaleIndex(blocks, row, blocks.rank - 1);
                if (own != base) {
                    base = own;
                    factors.load(factorsAt, base + column);
                }
            }
            if (aligned) {
                float numbers[kWidth];
                Coded<From>::decode(held[slot], numbers);
                vectorAt<kWidth>(to, row * vectors + vector) = converted(factors, numbers);
                continue;
            }
            int64_t const first = (row * vectors + vector) * kWidth;
#pragma unroll 1
            for (int k = 0; k < kWidth; k += 2) {
                storeTwo(to, first + k, first + kWidth, [&](int64_t at) {
                    Factors const one = factorsAt(base + column + at - first);
                    return one.number(Elements<From>::at(from, at));
                });
            }
        }
    }
}
