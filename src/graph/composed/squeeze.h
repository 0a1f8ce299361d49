// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"

namespace kiln::graph {

/// Removes axes of extent 1, which input 1 lists.
class Squeeze final : public ComposedOp<Squeeze> {
public:
    static constexpr std::string_view kKind = "Squeeze";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSQUEEZE;

    std::string problem() const { return {}; }
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
