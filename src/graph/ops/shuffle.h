// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/op_base.h"

namespace kiln::graph {

/// Transposes, reshapes and transposes again. Input 1, if there is one, holds the reshape
/// dimensions.
class Shuffle final : public OpBase<Shuffle> {
public:
    static constexpr std::string_view kKind = "Shuffle";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSHUFFLE;

    /// Axis i of the result is axis order[i] of the source; entries from the rank on are ignored.
    using Order = std::array<int32_t, Dims::MAX_DIMS>;
    static constexpr Order kIdentity{0, 1, 2, 3, 4, 5, 6, 7};

    Order firstTranspose = kIdentity;
    Dims reshape{-1, {}}; ///< nbDims -1: not set, the shape stays
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
    /// Extents to reshape to; constants among them may be -1 and 0.
    std::optional<ShapeExpr> wanted(InferContext const& context) const;
    /// Reshape dimensions without their placeholders: 0 is copied, and 1 stands for -1.
    struct Placeholders {
        ShapeExpr shape;
        int32_t open = -1; ///< the axis that is certainly -1
        struct MaybeOpen {
            int32_t axis;
            ExprRef isOpen; ///< 1 if the extent turns out to be -1
        };
        std::vector<MaybeOpen> maybeOpen;
    };
    Placeholders placeholders(InferContext const& context, ShapeExpr const& source,
                              ShapeExpr const& extents) const;
    /// The -1, if there is one, worked out.
    static ShapeExpr withOpenExtent(InferContext const& context, ShapeExpr const& source,
                                    ShapeExpr const& extents, Placeholders const& found);
    /// The same where only the run tells which extent is -1.
    static ShapeExpr withOpenExtents(ExprPool& pool, ShapeExpr const& source,
                                     Placeholders const& found);
    /// Shape after the first transpose and the reshape. inferChecked() applies the second one.
    ShapeExpr reshaped(InferContext const& context) const;
    void followValues(InferContext& context) const;
};

} // namespace kiln::graph
