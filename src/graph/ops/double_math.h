// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/extra_layers.h"

namespace kiln::graph {

/// Arithmetic of float64 on int64 tensors that hold the bits of the numbers. Operands have one
/// shape, or one of them has one element.
class DoubleMath final : public OpBase<DoubleMath> {
public:
    static constexpr std::string_view kKind = "DoubleMath";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPLUGIN;

    DoubleOperation operation = DoubleOperation::kSUM;

    std::size_t operands() const noexcept { return operation >= DoubleOperation::kSUM ? 2 : 1; }
    DataType inputType() const noexcept;
    DataType outputType() const noexcept;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }

private:
    void followNumbers(InferContext& context) const;
};

} // namespace kiln::graph
