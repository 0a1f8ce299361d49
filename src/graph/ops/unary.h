// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/unary_layer.h"

namespace kiln::graph {

/// Applies a function to each element.
class Unary final : public OpBase<Unary> {
public:
    static constexpr std::string_view kKind = "Unary";
    static constexpr auto kLayerType = nvinfer1::LayerType::kUNARY;
    static constexpr auto kClass = OpClass::kPointwise;

    nvinfer1::UnaryOperation operation = nvinfer1::UnaryOperation::kEXP;

    /// kABS, kNEG, kSIGN: integer inputs are allowed.
    bool takesIntegers() const;
    /// kISINF, kISNAN: the output is boolean.
    bool asks() const;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation);
    }
    std::string problem() const { return enumProblem(operation, "UnaryOperation"); }
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
