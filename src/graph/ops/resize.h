// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "graph/op_base.h"
#include "kiln/api/network/resize_layer.h"

namespace kiln::graph {

/// Interpolation along axes. The extents of the output are operand 1, or `dims`, or those of the
/// input times `scales`.
class Resize final : public OpBase<Resize> {
public:
    static constexpr std::string_view kKind = "Resize";
    static constexpr auto kLayerType = nvinfer1::LayerType::kRESIZE;
    static constexpr int32_t kExtents = 1; ///< operand

    nvinfer1::InterpolationMode mode = nvinfer1::InterpolationMode::kNEAREST;
    nvinfer1::ResizeCoordinateTransformation transformation =
        nvinfer1::ResizeCoordinateTransformation::kASYMMETRIC;
    nvinfer1::ResizeSelector selector = nvinfer1::ResizeSelector::kFORMULA;
    nvinfer1::ResizeRoundMode rounding = nvinfer1::ResizeRoundMode::kFLOOR;
    float cubic = -0.75F;
    bool excludesOutside = false;
    Dims dims{-1, {}};       ///< nbDims -1: not set
    int32_t scaleCount = -1; ///< -1: not set
    std::array<float, Dims::MAX_DIMS> scales{};

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.mode, self.transformation, self.selector, self.rounding, self.cubic,
              self.excludesOutside, self.dims, self.scaleCount);
        for (auto& scale : self.scales) {
            visit(scale);
        }
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    bool mayBeAbsent(int32_t operand) const override { return operand == kExtents; }
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

    /// Input samples that one output element reads along a resized axis: 1, 2 or 4.
    int32_t taps() const noexcept;

private:
    void inferShape(InferContext& context) const;
    void checkAxes(InferContext const& context) const;
};

} // namespace kiln::graph
