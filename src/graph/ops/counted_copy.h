// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// output = input 0 as far as it is filled: along one axis only so many entries as input 1 says, a
/// size that a plugin found out. Memory is dense at that size, so these are the first bytes. Users
/// have no such layer: it lets outputs of unknown size be given without the host asking for it.
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

    /// Elements of one entry along the axis, where the whole tensor has these extents.
    int64_t entryVolume(Dims const& dims) const;

    int32_t axis = 0;
};

} // namespace kiln::graph
