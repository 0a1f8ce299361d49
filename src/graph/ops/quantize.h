// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "graph/quantization.h"

namespace kiln::graph {

/// clamp(round(x / scale) + zero point), rounded to nearest, ties to even, in float32.
/// Operands: x, scale, zero point (optional).
class Quantize final : public OpBase<Quantize> {
public:
    static constexpr std::string_view kKind = "Quantize";
    static constexpr auto kLayerType = nvinfer1::LayerType::kQUANTIZE;
    static constexpr auto kClass = OpClass::kPointwise;

    int32_t axis = -1;      ///< of a scale of rank 1
    Dims blockShape{0, {}}; ///< no extents: the shape of the scale tells the blocks
    DataType toType = DataType::kINT8;

    ScaleShape scaleShape() const { return {axis, blockShape}; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.axis, self.blockShape, self.toType);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;
};

} // namespace kiln::graph
