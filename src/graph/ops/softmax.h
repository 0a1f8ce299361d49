// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Softmax along one axis.
class SoftMax final : public OpBase<SoftMax> {
public:
    static constexpr std::string_view kKind = "SoftMax";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSOFTMAX;

    /// Bit mask with one bit, as in the API; 0: not set, which means bit max(rank - 3, 0).
    uint32_t axes = 0;

    uint32_t axesFor(int32_t rank) const {
        return axes != 0 ? axes : 1U << (rank > 3 ? rank - 3 : 0);
    }
    /// Index of the one bit of axesFor(rank).
    int32_t axisFor(int32_t rank) const;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.axes);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
