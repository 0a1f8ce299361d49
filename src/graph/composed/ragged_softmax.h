// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"
#include "kiln/api/network/ragged_softmax_layer.h"

namespace kiln::graph {

/// Softmax over the first elements of each row of [..., rows, length], as many as operand 1 [...,
/// rows, 1] says; zeros behind them. Its parts are a softmax whose other elements are -infinity,
/// and a selection of zeros, which also covers rows without elements.
class RaggedSoftMax final : public ComposedOp<RaggedSoftMax> {
public:
    static constexpr std::string_view kKind = "RaggedSoftMax";
    static constexpr auto kLayerType = nvinfer1::LayerType::kRAGGED_SOFTMAX;
    static constexpr int32_t kBounds = 1; ///< operand

    std::string problem() const { return {}; }
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
