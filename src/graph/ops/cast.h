// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Converts elements to another type.
class Cast final : public OpBase<Cast> {
public:
    static constexpr std::string_view kKind = "Cast";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCAST;
    static constexpr auto kClass = OpClass::kPointwise;

    DataType toType = DataType::kFLOAT;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.toType);
    }
    std::string problem() const { return enumProblem(toType, "DataType"); }
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;
};

} // namespace kiln::graph
