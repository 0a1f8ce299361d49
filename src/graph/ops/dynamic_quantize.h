// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "graph/quantization.h"

namespace kiln::graph {

/// Quantizes with a scale for each block, computed from its largest magnitude. Operands: x, a
/// factor of the scales (optional). Outputs: the elements, the scales.
class DynamicQuantize final : public OpBase<DynamicQuantize> {
public:
    static constexpr std::string_view kKind = "DynamicQuantize";
    static constexpr auto kLayerType = nvinfer1::LayerType::kDYNAMIC_QUANTIZE;

    int32_t axis = -1;      ///< divided into blocks; -1: blockShape tells
    int32_t blockSize = -1; ///< along the axis
    Dims blockShape{0, {}}; ///< -1: the whole dimension
    DataType toType = DataType::kFP4;
    DataType scaleType = DataType::kFP8;

    /// The extents of a block for data of a rank, as in blockShape.
    Dims blocksOf(int32_t rank) const;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.axis, self.blockSize, self.blockShape, self.toType, self.scaleType);
    }
    int32_t outputCount() const override { return 2; }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;
};

} // namespace kiln::graph
