// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"

namespace kiln::graph {

/// Inserts axes of extent 1 where input 1 says.
class Unsqueeze final : public ComposedOp<Unsqueeze> {
public:
    static constexpr std::string_view kKind = "Unsqueeze";
    static constexpr auto kLayerType = nvinfer1::LayerType::kUNSQUEEZE;

    std::string problem() const { return {}; }
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
