// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// A tensor whose values are part of the network. The compiler makes it a constant operand of its
/// consumers; no kernel runs.
class Constant final : public OpBase<Constant> {
public:
    static constexpr std::string_view kKind = "Constant";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONSTANT;

    nvinfer1::Weights value{DataType::kFLOAT, nullptr, 0};
    Dims dims{};

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.dims);
    }
    std::string problem() const;
    /// Describes a wrong number of values; empty if it is the product of the dimensions.
    std::string countProblem() const;
    void inferChecked(InferContext& context) const;
    std::vector<WeightSlot> weights(int32_t inputCount) const override;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;
};

} // namespace kiln::graph
