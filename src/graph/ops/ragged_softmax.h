// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/ragged_softmax_layer.h"

namespace kiln::graph {

/// Softmax over the first elements of each row of [..., rows, length], as many as operand 1 [...,
/// rows, 1] says; zeros behind them.
class RaggedSoftMax final : public OpBase<RaggedSoftMax> {
public:
    static constexpr std::string_view kKind = "RaggedSoftMax";
    static constexpr auto kLayerType = nvinfer1::LayerType::kRAGGED_SOFTMAX;
    static constexpr int32_t kBounds = 1; ///< operand

    template <typename S, typename V>
    static void fields(S&, V&&) {}
    std::string problem() const { return {}; }
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t) const override {
        return operand == kBounds ? TypeRule::kFixed : TypeRule::kCompute;
    }
};

} // namespace kiln::graph
