// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/extra_layers.h"

namespace kiln::graph {

/// Crops boxes [n, 4] out of images [batch, channels, height, width] and brings them to one size.
/// Input 2 names the image of each box.
class RoiAlign final : public OpBase<RoiAlign> {
public:
    static constexpr std::string_view kKind = "RoiAlign";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPLUGIN;

    enum Role : int32_t { kImages = 0, kBoxes = 1, kBatch = 2 };

    RoiAlignParams params;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        auto& p = self.params;
        visit(p.height, p.width, p.samplingRatio, p.pooling, p.scale, p.halfPixel);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    /// Coordinates keep their type: rounded to 8 or 11 bits, they would miss pixels.
    TypeRule typeRule(int32_t operand, int32_t) const override {
        return operand == kBoxes || operand == kBatch ? TypeRule::kFixed : TypeRule::kCompute;
    }
};

} // namespace kiln::graph
