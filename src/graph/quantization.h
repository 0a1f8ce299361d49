// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What Quantize, Dequantize and DynamicQuantize share: types, and which elements share a scale.
#pragma once

#include <array>
#include <string>

#include "graph/op.h"

namespace kiln::graph {

/// int8, uint8, fp8, int4 or fp4.
bool isQuantized(DataType type) noexcept;
/// The types of scales: floating point, fp8 and e8m0.
bool isScaleType(DataType type) noexcept;

/// The least and the largest number of a quantized type.
struct Limits {
    float least;
    float most;
};
Limits limitsOf(DataType type);
/// Whether quantized numbers are whole.
bool isWholeQuantized(DataType type) noexcept;

/// Parameters that say which elements of a tensor share a scale.
struct ScaleShape {
    int32_t axis = -1;
    Dims blockShape{0, {}};
};
std::string scaleShapeProblem(int32_t axis, Dims const& blockShape);

/// Throws kInvalidArgument unless operand 1 is a scale for operand 0, and operand 2 is absent or a
/// zero point of the quantized type with the extents of the scale.
void checkScale(InferContext const& context, std::string_view kind, ScaleShape const& shape,
                DataType quantized);

/// Where the scale of an element is: nested loops over the elements, outermost first, of which
/// `block` neighbours along a loop share a scale. Neighbouring loops are joined where possible.
struct ScaleBlocks {
    struct Loop {
        int64_t extent = 1;
        int64_t block = 1;  ///< elements along the loop with one scale
        int64_t stride = 0; ///< of scales, from block to block
    };
    int32_t rank = 0;
    std::array<Loop, Dims::MAX_DIMS> loops{};

    Loop const& inner() const { return loops[static_cast<std::size_t>(rank - 1)]; }
    /// The number of the scale of an element.
    int64_t scaleOf(int64_t element) const noexcept;
};
ScaleBlocks scaleBlocks(Dims const& data, Dims const& scale, ScaleShape const& shape);

/// Whether the scale is broadcast like an operand of a pointwise operation: it has the rank of the
/// data, and extents that are equal or 1.
bool isBroadcastScale(Dims const& data, Dims const& scale, Dims const& blockShape);

} // namespace kiln::graph
