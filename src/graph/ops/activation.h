// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/activation_layer.h"

namespace kiln::graph {

/// Applies a function to each element.
class Activation final : public OpBase<Activation> {
public:
    static constexpr std::string_view kKind = "Activation";
    static constexpr auto kLayerType = nvinfer1::LayerType::kACTIVATION;
    static constexpr auto kClass = OpClass::kPointwise;

    nvinfer1::ActivationType type = nvinfer1::ActivationType::kRELU;
    float alpha = 0.0F;
    float beta = 0.0F;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.type, self.alpha, self.beta);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
