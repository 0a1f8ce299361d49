// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"

namespace kiln::graph {

/// x if x >= 0, else slope * x.
class ParametricReLU final : public ComposedOp<ParametricReLU> {
public:
    static constexpr std::string_view kKind = "ParametricReLU";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPARAMETRIC_RELU;

    std::string problem() const { return {}; }
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
