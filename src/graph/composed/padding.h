// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"

namespace kiln::graph {

/// Zeros around the last two axes; negative paddings cut elements off.
class Padding final : public ComposedOp<Padding> {
public:
    static constexpr std::string_view kKind = "Padding";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPADDING;

    Dims before{2, {0, 0}};
    Dims after{2, {0, 0}};

    std::string problem() const;
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
