// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/reverse_sequence_layer.h"

namespace kiln::graph {

/// Reverses the first lengths[b] elements along the sequence axis, where b is the coordinate along
/// the batch axis. Lengths are limited to the extent of the sequence axis.
class ReverseSequence final : public OpBase<ReverseSequence> {
public:
    static constexpr std::string_view kKind = "ReverseSequence";
    static constexpr auto kLayerType = nvinfer1::LayerType::kREVERSE_SEQUENCE;

    int32_t batchAxis = 1; ///< negative: from the end
    int32_t sequenceAxis = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.batchAxis, self.sequenceAxis);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

    /// The input as [outer, first, middle, second, inner], where first and second are the two axes.
    struct Shape {
        int64_t outer = 1;
        int64_t first = 1;
        int64_t middle = 1;
        int64_t second = 1;
        int64_t inner = 1;
        bool sequenceFirst = true;
        /// Elements that one step along the sequence axis advances.
        int64_t step() const noexcept { return sequenceFirst ? middle * second * inner : inner; }
    };
    Shape shapeFor(Dims const& dims) const noexcept;
};

} // namespace kiln::graph
