// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"
#include "graph/composed/einsum_equation.h"
#include "kiln/api/network/einsum_layer.h"

namespace kiln::graph {

/// Einstein summation: transpositions, matrix products, products by element and sums. Inputs are
/// multiplied from left to right.
class Einsum final : public ComposedOp<Einsum> {
public:
    static constexpr std::string_view kKind = "Einsum";
    static constexpr auto kLayerType = nvinfer1::LayerType::kEINSUM;

    std::string equation;

    std::string problem() const;
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;

private:
    /// The names of each input's axes, then those of the output: letters, and numbers below 0 for
    /// the axes of the ellipsis, from the last one: -1, -2 ...
    std::vector<std::vector<int32_t>> names(InferContext const& context) const;
};

} // namespace kiln::graph
