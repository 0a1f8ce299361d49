// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Joins tensors along one axis.
class Concatenation final : public OpBase<Concatenation> {
public:
    static constexpr std::string_view kKind = "Concatenation";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONCATENATION;

    int32_t axis = -1; ///< -1: not set, which means max(rank - 3, 0)

    int32_t axisFor(int32_t rank) const { return axis >= 0 ? axis : rank > 3 ? rank - 3 : 0; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.axis);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
