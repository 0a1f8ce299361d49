// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/nms_layer.h"

namespace kiln::graph {

/// Non-maximum suppression for each batch item: rows (batch, class, box) of the selected boxes,
/// best first, and their number. The number of rows is found when the op runs: it is size 0.
class Nms final : public OpBase<Nms> {
public:
    static constexpr std::string_view kKind = "NMS";
    static constexpr auto kLayerType = nvinfer1::LayerType::kNMS;

    /// Operands. The thresholds may be absent; they are then 0.
    enum Role : int32_t { kBoxes = 0, kScores = 1, kMost = 2, kOverlap = 3, kLeastScore = 4 };

    nvinfer1::BoundingBoxFormat format = nvinfer1::BoundingBoxFormat::kCORNER_PAIRS;
    int32_t limit = 5000; ///< candidates of a batch item
    DataType indexType = DataType::kINT32;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.format, self.limit, self.indexType);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    int32_t outputCount() const override { return 2; }
    int32_t sizeCount() const override { return 1; }
    bool mayBeAbsent(int32_t operand) const override { return operand >= kOverlap; }
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

    /// Extents of the operands.
    struct Shape {
        int64_t batch = 0;
        int64_t boxes = 0;
        int64_t classes = 0;
        bool shared = false;    ///< all classes have the same boxes
        int64_t candidates = 0; ///< of a batch item, at most
    };
    Shape shapeFor(Dims const& boxes, Dims const& scores) const noexcept;

private:
    void checkShapes(InferContext const& context) const;
    void checkScalars(InferContext const& context) const;
    ExprRef boundOf(InferContext const& context) const;
};

} // namespace kiln::graph
