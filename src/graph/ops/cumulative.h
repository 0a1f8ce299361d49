// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/cumulative_layer.h"

namespace kiln::graph {

/// Running sums along one axis. In a network the axis is input 1, a constant. The compiler puts it
/// into the op, which then has one input: kernels see only that form.
class Cumulative final : public OpBase<Cumulative> {
public:
    static constexpr std::string_view kKind = "Cumulative";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCUMULATIVE;

    enum Role : int32_t { kData = 0, kAxis = 1 };

    nvinfer1::CumulativeOperation operation = nvinfer1::CumulativeOperation::kSUM;
    bool exclusive = false; ///< an element is left out of its own sum
    bool reverse = false;   ///< sums start at the end
    int32_t axis = 0;       ///< used without input 1; 0 or more

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation, self.exclusive, self.reverse, self.axis);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    std::unique_ptr<Region> parts(InferContext const& context) const override;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

private:
    int32_t axisFor(InferContext const& context) const;
};

} // namespace kiln::graph
