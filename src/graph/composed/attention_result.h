// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"

namespace kiln::graph {

/// The layer behind an AttentionLayer: passes its result on, and is nothing in an engine.
class AttentionResult final : public ComposedOp<AttentionResult> {
public:
    static constexpr std::string_view kKind = "AttentionResult";
    static constexpr auto kLayerType = nvinfer1::LayerType::kATTENTION_OUTPUT;

    std::string problem() const { return {}; }
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
