// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// The layer behind an AttentionLayer: passes its result on, and is nothing in an engine.
class AttentionResult final : public OpBase<AttentionResult> {
public:
    static constexpr std::string_view kKind = "AttentionResult";
    static constexpr auto kLayerType = nvinfer1::LayerType::kATTENTION_OUTPUT;

    template <typename S, typename V>
    static void fields(S&, V&&) {}
    std::string problem() const { return {}; }
    void inferChecked(InferContext& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
