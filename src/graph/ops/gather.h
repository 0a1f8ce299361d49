// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/gather_layer.h"

namespace kiln::graph {

/// Picks elements of input 0 by the indices in input 1.
class Gather final : public OpBase<Gather> {
public:
    static constexpr std::string_view kKind = "Gather";
    static constexpr auto kLayerType = nvinfer1::LayerType::kGATHER;

    nvinfer1::GatherMode mode = nvinfer1::GatherMode::kDEFAULT;
    int32_t axis = 0;
    int32_t sharedAxes = 0; ///< number of leading axes that data and indices share

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.mode, self.axis, self.sharedAxes);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

private:
    void inferSlices(InferContext& context) const;
    void inferElements(InferContext& context) const;
    void inferTuples(InferContext& context) const;
    void checkShared(InferContext const& context) const;
    void checkAxis(InferContext const& context) const;
    void followValues(InferContext& context) const;
};

/// Normalizes an index: a negative one counts from the end. -1 if it is outside of the axis.
inline int64_t wrappedIndex(int64_t index, int64_t extent) noexcept {
    int64_t const fromFront = index < 0 ? index + extent : index;
    return fromFront >= 0 && fromFront < extent ? fromFront : -1;
}

} // namespace kiln::graph
