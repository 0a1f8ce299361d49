// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/matrix_multiply.h"
#include "targets/cpu/narrow_piece.h"

namespace kiln::targets::cpu {

/// The scales of a matrix of quantized weights: one for all, or one for each block of the inner
/// axis and each column.
struct NarrowScales {
    bool shared = false;
    int64_t blocks = 1;
    int64_t columns = 1;
    int64_t stepBlock = 0; ///< in elements
    int64_t stepColumn = 0;

    /// [columns / kStreamColumns][blocks][kStreamColumns], or kStreamColumns times the shared one.
    std::size_t packedBytes() const noexcept;
};

/// A matrix of whole numbers as the second operand of a product, and its scales.
struct NarrowMatrix {
    NarrowKind kind = NarrowKind::kNibbles;
    int64_t inner = 0;
    int64_t columns = 0;
    int64_t stepInner = 0; ///< in elements
    int64_t stepColumn = 0;
    int64_t block = 1; ///< neighbours of the inner axis with one scale
    NarrowScales scales;

    int64_t pieces() const noexcept;
    std::size_t packedBytes() const noexcept;
    /// A piece of packed numbers and scales.
    NarrowPiece piece(void const* numbers, void const* packedScales, int64_t number) const noexcept;
};

/// int4, int8 or uint8.
bool isNarrow(DataType type) noexcept;

/// How scales of these extents lie; `rank`: of the weights, 0 if those along an axis are known to
/// be those of the columns.
NarrowScales narrowScales(graph::Dequantize const& source, graph::MatrixMultiply const& product,
                          Dims const& scale, int32_t rank);

/// How the numbers lie, without their scales. One matrix: other extents are 1.
NarrowMatrix narrowNumbers(graph::MatrixMultiply const& product, DataType type,
                           Dims const& weights);

/// Sets scales and the block. Why they do not fit; empty if they do.
std::string addScales(NarrowMatrix& matrix, graph::Dequantize const& source,
                      graph::MatrixMultiply const& product, Dims const& weights, Dims const& scale);

Bytes packNumbers(NarrowMatrix const& matrix, void const* elements);
/// As float32; `type` is that of the elements: float32, float16 or bfloat16.
Bytes packScales(NarrowScales const& scales, void const* elements, DataType type);

} // namespace kiln::targets::cpu
