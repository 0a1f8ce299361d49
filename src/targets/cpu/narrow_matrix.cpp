// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/narrow_matrix.h"

#include <algorithm>

#include "base/parallel.h"
#include "target/workload/matrix_product.h"
#include "targets/cpu/block.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

constexpr int64_t kWidth = kStreamColumns;
/// Terms of a partial sum that one scale serves, at least: fewer make the scales the work.
constexpr int64_t kLeastBlock = 8;

/// The axes of the columns and of the summed terms.
graph::MatrixMultiply::Axes axesOf(graph::MatrixMultiply const& product, int32_t rank) {
    return product.axes(1, rank);
}

/// Element `i` of packed bits, the first one of a byte in its low bits.
uint8_t nibbleAt(uint8_t const* bytes, int64_t i) {
    return (bytes[i / 2] >> (i % 2 * 4)) & 15;
}

void packNibbles(NarrowMatrix const& matrix, uint8_t const* from, int64_t piece, uint8_t* to) {
    auto const at = [&](int64_t k, int64_t column) -> uint8_t {
        return column < matrix.columns
                   ? nibbleAt(from, k * matrix.stepInner + column * matrix.stepColumn)
                   : 0;
    };
    for (int64_t k = 0; k < matrix.inner; ++k) {
        for (int64_t i = 0; i < kWidth / 2; ++i) {
            int64_t const column = piece * kWidth + i;
            *to++ = static_cast<uint8_t>(at(k, column) | at(k, column + kWidth / 2) << 4);
        }
    }
}

void packBytes(NarrowMatrix const& matrix, uint8_t const* from, int64_t piece, uint8_t* to) {
    int64_t const first = piece * kWidth;
    int64_t const count = std::min(kWidth, matrix.columns - first);
    for (int64_t k = 0; k < matrix.inner; ++k) {
        for (int64_t i = 0; i < count; ++i) {
            to[k * kWidth + i] = from[k * matrix.stepInner + (first + i) * matrix.stepColumn];
        }
    }
}

} // namespace

bool isNarrow(DataType type) noexcept {
    return type == DataType::kINT4 || type == DataType::kINT8 || type == DataType::kUINT8;
}

std::size_t NarrowScales::packedBytes() const noexcept {
    int64_t const rows = shared ? 1 : tilesOf(columns, kWidth) * blocks;
    return static_cast<std::size_t>(rows * kWidth) * sizeof(float);
}

int64_t NarrowMatrix::pieces() const noexcept {
    return tilesOf(columns, kWidth);
}

std::size_t NarrowMatrix::packedBytes() const noexcept {
    return static_cast<std::size_t>(pieces() * inner * narrowRowBytes(kind));
}

NarrowPiece NarrowMatrix::piece(void const* numbers, void const* packedScales,
                                int64_t number) const noexcept {
    return {static_cast<uint8_t const*>(numbers) + number * inner * narrowRowBytes(kind),
            static_cast<float const*>(packedScales) +
                (scales.shared ? 0 : number * scales.blocks * kWidth),
            inner, block};
}

NarrowScales narrowScales(graph::Dequantize const& source, graph::MatrixMultiply const& product,
                          Dims const& scale, int32_t rank) {
    NarrowScales scales;
    scales.shared = volume(scale, "scale") == 1;
    if (scales.shared) {
        return scales;
    }
    if (scale.nbDims == 1) { // along an axis
        bool const columns = rank < 2 || source.axis == axesOf(product, rank).kept;
        (columns ? scales.columns : scales.blocks) = scale.d[0];
        (columns ? scales.stepColumn : scales.stepBlock) = 1;
        return scales;
    }
    auto const axes = axesOf(product, scale.nbDims);
    auto const strides = target::denseStrides(scale);
    scales.blocks = scale.d[axes.summed];
    scales.columns = scale.d[axes.kept];
    scales.stepBlock = strides[static_cast<std::size_t>(axes.summed)];
    scales.stepColumn = strides[static_cast<std::size_t>(axes.kept)];
    return scales;
}

NarrowMatrix narrowNumbers(graph::MatrixMultiply const& product, DataType type,
                           Dims const& weights) {
    auto const axes = axesOf(product, weights.nbDims);
    auto const strides = target::denseStrides(weights);
    NarrowMatrix matrix;
    matrix.kind = type == DataType::kINT4   ? NarrowKind::kNibbles
                  : type == DataType::kINT8 ? NarrowKind::kSigned
                                            : NarrowKind::kUnsigned;
    matrix.inner = weights.d[axes.summed];
    matrix.columns = weights.d[axes.kept];
    matrix.stepInner = strides[static_cast<std::size_t>(axes.summed)];
    matrix.stepColumn = strides[static_cast<std::size_t>(axes.kept)];
    return matrix;
}

std::string addScales(NarrowMatrix& matrix, graph::Dequantize const& source,
                      graph::MatrixMultiply const& product, Dims const& weights,
                      Dims const& scale) {
    matrix.scales = narrowScales(source, product, scale, weights.nbDims);
    NarrowScales const& scales = matrix.scales;
    int32_t const term = axesOf(product, weights.nbDims).summed;
    bool const given = source.blockShape.nbDims > 0 && source.blockShape.d[term] > 0;
    matrix.block = scales.blocks <= 1 ? matrix.inner
                   : given            ? source.blockShape.d[term]
                                      : tilesOf(matrix.inner, scales.blocks);
    matrix.block = std::max<int64_t>(matrix.block, 1);
    bool const whole = scales.shared || (scales.columns == matrix.columns &&
                                         volume(scale, "scale") == scales.columns * scales.blocks);
    bool const wide = scales.blocks <= 1 || (matrix.block >= kLeastBlock &&
                                             tilesOf(matrix.inner, matrix.block) == scales.blocks);
    return whole && wide ? std::string()
                         : fmt::format("expected one scale, or one for each column and each block "
                                       "of {} terms or more, of weights of {}, got scales of {}",
                                       kLeastBlock, toText(weights), toText(scale));
}

Bytes packNumbers(NarrowMatrix const& matrix, void const* elements) {
    Bytes packed(matrix.packedBytes());
    auto const* const from = static_cast<uint8_t const*>(elements);
    auto* const to = reinterpret_cast<uint8_t*>(packed.data());
    int64_t const size = matrix.inner * narrowRowBytes(matrix.kind);
    parallelFor(matrix.pieces(), 1, [&](int64_t begin, int64_t end) {
        for (int64_t piece = begin; piece < end; ++piece) {
            auto const pack = matrix.kind == NarrowKind::kNibbles ? packNibbles : packBytes;
            pack(matrix, from, piece, to + piece * size);
        }
    });
    return packed;
}

Bytes packScales(NarrowScales const& scales, void const* elements, DataType type) {
    Bytes packed(scales.packedBytes());
    auto* to = reinterpret_cast<float*>(packed.data());
    dispatchFloat(type, "scale", [&](auto value) {
        auto const* const from = static_cast<decltype(value) const*>(elements);
        if (scales.shared) {
            std::fill_n(to, kWidth, load(from[0]));
            return;
        }
        for (int64_t first = 0; first < scales.columns; first += kWidth) {
            for (int64_t block = 0; block < scales.blocks; ++block, to += kWidth) {
                for (int64_t i = 0; i < std::min(kWidth, scales.columns - first); ++i) {
                    to[i] = load(from[block * scales.stepBlock + (first + i) * scales.stepColumn]);
                }
            }
        }
    });
    return packed;
}

} // namespace kiln::targets::cpu
