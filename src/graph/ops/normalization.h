// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// (x - mean) / sqrt(variance + epsilon) * scale + bias, with mean and variance along some axes.
/// RMS normalization does not center: the mean counts as 0. Operands: x, scale, bias. If there are
/// groups, a set of statistics covers the channels (axis 1) of one group and all spatial axes.
class Normalization final : public OpBase<Normalization> {
public:
    static constexpr std::string_view kKind = "Normalization";
    static constexpr auto kLayerType = nvinfer1::LayerType::kNORMALIZATION;

    uint32_t axes = 0; ///< bit i selects axis i
    float epsilon = 1e-5F;
    int64_t groups = 1;
    DataType precision = DataType::kFLOAT; ///< kept; kernels compute in float32
    bool scalesChannels = true; ///< with groups, scale and bias are by channel, never by group
    bool centers = true;        ///< false: the mean is not subtracted, as if it were 0

    bool normalizes(int32_t axis) const { return (axes >> axis & 1U) != 0; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.axes, self.epsilon, self.groups, self.precision, self.scalesChannels,
              self.centers);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;

private:
    void checkGroups(InferContext const& context) const;
    void checkFactor(InferContext const& context, std::size_t operand) const;
};

} // namespace kiln::graph
