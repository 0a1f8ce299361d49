// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"

namespace kiln::graph {

/// Vectors of values[0] along a new axis, with values[1] at the index.
class OneHot final : public ComposedOp<OneHot> {
public:
    static constexpr std::string_view kKind = "OneHot";
    static constexpr auto kLayerType = nvinfer1::LayerType::kONE_HOT;

    /// Operands.
    enum Role : int32_t { kIndices = 0, kValues = 1, kDepth = 2 };

    int32_t axis = -1; ///< of the output; negative numbers count from its end

    std::string problem() const;
    void check(InferContext const& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;

private:
    /// The new axis, counted from the front.
    int32_t axisOf(InferContext const& context) const;
};

} // namespace kiln::graph
