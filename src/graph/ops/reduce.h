// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/reduce_layer.h"

namespace kiln::graph {

/// Combines all elements along some axes.
class Reduce final : public OpBase<Reduce> {
public:
    static constexpr std::string_view kKind = "Reduce";
    static constexpr auto kLayerType = nvinfer1::LayerType::kREDUCE;
    static constexpr auto kClass = OpClass::kReduction;

    nvinfer1::ReduceOperation operation = nvinfer1::ReduceOperation::kSUM;
    uint32_t axes = 0; ///< bit i selects axis i
    bool keepsAxes = false;

    bool reduces(int32_t axis) const { return (axes >> axis & 1U) != 0; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation, self.axes, self.keepsAxes);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;

private:
    void followValues(InferContext& context) const;
};

} // namespace kiln::graph
