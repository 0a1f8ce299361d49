// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/elementwise_layer.h"

namespace kiln::graph {

/// Combines two tensors element by element, with broadcasting.
class ElementWise final : public OpBase<ElementWise> {
public:
    static constexpr std::string_view kKind = "ElementWise";
    static constexpr auto kLayerType = nvinfer1::LayerType::kELEMENTWISE;
    static constexpr auto kClass = OpClass::kPointwise;

    nvinfer1::ElementWiseOperation operation = nvinfer1::ElementWiseOperation::kSUM;

    /// kEQUAL, kGREATER, kLESS: the output is boolean.
    bool compares() const;
    /// kAND, kOR, kXOR: inputs and output are boolean.
    bool isLogical() const;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation);
    }
    std::string problem() const { return enumProblem(operation, "ElementWiseOperation"); }
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;
};

} // namespace kiln::graph
