// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/grid_sample_layer.h"

namespace kiln::graph {

/// Samples images [batch, channels, height, width] at the coordinates of a grid [batch, height',
/// width', 2].
class GridSample final : public OpBase<GridSample> {
public:
    static constexpr std::string_view kKind = "GridSample";
    static constexpr auto kLayerType = nvinfer1::LayerType::kGRID_SAMPLE;

    nvinfer1::InterpolationMode interpolation = nvinfer1::InterpolationMode::kLINEAR;
    nvinfer1::SampleMode mode = nvinfer1::SampleMode::kFILL;
    bool alignCorners = false;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.interpolation, self.mode, self.alignCorners);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    /// Coordinates keep their type: rounded to 8 or 11 bits, they would miss pixels.
    TypeRule typeRule(int32_t operand, int32_t) const override {
        return operand == 1 ? TypeRule::kFixed : TypeRule::kCompute;
    }

    /// Samples along one axis of the image for one output.
    int32_t taps() const noexcept {
        return interpolation == nvinfer1::InterpolationMode::kNEAREST  ? 1
               : interpolation == nvinfer1::InterpolationMode::kLINEAR ? 2
                                                                       : 4;
    }
};

} // namespace kiln::graph
