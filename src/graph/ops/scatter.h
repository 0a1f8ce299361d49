// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/scatter_layer.h"
#include "kiln/extra_layers.h"

namespace kiln::graph {

/// A copy of input 0 with the elements of input 2 at the indices in input 1, or with these combined
/// with the elements there. Negative indices count from the end; updates at indices out of range
/// are left out.
class Scatter final : public OpBase<Scatter> {
public:
    static constexpr std::string_view kKind = "Scatter";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSCATTER;

    enum Role : int32_t { kData = 0, kIndices = 1, kUpdates = 2 };

    nvinfer1::ScatterMode mode = nvinfer1::ScatterMode::kELEMENT;
    int32_t axis = 0; ///< of kELEMENT; negative: from the end
    ScatterReduction reduction = ScatterReduction::kNONE;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.mode, self.axis, self.reduction);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

    /// Whether reductions combine elements of the type; truth values are numbers 0 and 1, whose sum
    /// is at most 1.
    static bool isCombined(DataType type) noexcept;

    int32_t axisFor(int32_t rank) const noexcept { return axis < 0 ? axis + rank : axis; }

private:
    void checkElements(InferContext const& context) const;
    void checkTuples(InferContext const& context) const;
    void followValues(InferContext& context) const;
};

} // namespace kiln::graph
