// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Copies the first n entries of input 0 along one axis. n is input 1, a size tensor of a plugin.
/// Input 0 is dense at that size, so these are its first bytes. The compiler inserts this op for
/// network outputs of data-dependent size, so that the host need not read the size.
class CountedCopy final : public OpBase<CountedCopy> {
public:
    static constexpr std::string_view kKind = "CountedCopy";
    static constexpr auto kLayerType = nvinfer1::LayerType::kIDENTITY;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.axis);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

    /// Elements of one entry along the axis of a tensor with these extents.
    int64_t entryVolume(Dims const& dims) const;

    int32_t axis = 0;
};

} // namespace kiln::graph
