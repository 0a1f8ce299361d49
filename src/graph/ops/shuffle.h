// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/op_base.h"

namespace kiln::graph {

/// Transposes, reshapes and transposes again. The optional input 1 holds the reshape dimensions.
class Shuffle final : public OpBase<Shuffle> {
public:
    static constexpr std::string_view kKind = "Shuffle";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSHUFFLE;

    /// Axis i of the result is axis order[i] of the source; entries from the rank on are ignored.
    using Order = std::array<int32_t, Dims::MAX_DIMS>;
    static constexpr Order kIdentity{0, 1, 2, 3, 4, 5, 6, 7};

    Order firstTranspose = kIdentity;
    Dims reshape{-1, {}}; ///< nbDims -1: not set, no reshape
    Order secondTranspose = kIdentity;
    bool zeroIsPlaceholder = true;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.firstTranspose, self.reshape, self.secondTranspose, self.zeroIsPlaceholder);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

private:
    /// The requested reshape dimensions; constants may be -1 and 0. Empty if there is no reshape.
    std::optional<ShapeExpr> wanted(InferContext const& context) const;
    /// Reshape dimensions with placeholders replaced: 0 by the input's extent, -1 by 1.
    struct Placeholders {
        ShapeExpr shape;
        int32_t open = -1; ///< axis of a constant -1
        struct MaybeOpen {
            int32_t axis;
            ExprRef isOpen; ///< 1 if the extent is -1 at run time, else 0
        };
        std::vector<MaybeOpen> maybeOpen;
    };
    Placeholders placeholders(InferContext const& context, ShapeExpr const& source,
                              ShapeExpr const& extents) const;
    /// Computes the extent of a constant -1, if there is one.
    static ShapeExpr withOpenExtent(InferContext const& context, ShapeExpr const& source,
                                    ShapeExpr const& extents, Placeholders const& found);
    /// Like withOpenExtent(), if only the run tells which extent is -1.
    static ShapeExpr withOpenExtents(ExprPool& pool, ShapeExpr const& source,
                                     Placeholders const& found);
    /// Shape after the first transpose and the reshape. inferChecked() applies the second
    /// transpose.
    ShapeExpr reshaped(InferContext const& context) const;
    void followValues(InferContext& context) const;
};

} // namespace kiln::graph
