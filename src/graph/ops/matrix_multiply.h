// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/matrix_multiply_layer.h"

namespace kiln::graph {

/// Matrix product over the last two axes (for vectors the last one), broadcast over the others.
class MatrixMultiply final : public OpBase<MatrixMultiply> {
public:
    static constexpr std::string_view kKind = "MatrixMultiply";
    static constexpr auto kLayerType = nvinfer1::LayerType::kMATRIX_MULTIPLY;
    static constexpr auto kClass = OpClass::kAnchor;

    std::array<nvinfer1::MatrixOperation, 2> operation{nvinfer1::MatrixOperation::kNONE,
                                                       nvinfer1::MatrixOperation::kNONE};

    /// Axis numbers of one operand, -1 if absent: `kept` is m of operand 0 or n of operand 1,
    /// `summed` is k. `batch` is the number of leading batch axes.
    struct Axes {
        int32_t batch = 0;
        int32_t kept = -1;
        int32_t summed = -1;
    };
    Axes axes(int32_t operand, int32_t rank) const;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
