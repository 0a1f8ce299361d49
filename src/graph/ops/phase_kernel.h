// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// The kernel of a transposed convolution, [channels, maps / groups, size...], as the kernel of a
/// convolution that computes all outputs of one stride as maps of their own, its phases:
///
///   result[(g * phases + r) * maps / groups + m, c, t...] =
///       kernel[g * channels / groups + c, m, ((taps - 1 - t) * stride + r) / dilation]
///
/// for each group g and phase r (row-major over the axes); 0 where the quotient is not whole or
/// outside. The result has ceil((1 + dilation * (size - 1)) / stride) taps along each axis.
class PhaseKernel final : public OpBase<PhaseKernel> {
public:
    static constexpr std::string_view kKind = "PhaseKernel";
    static constexpr auto kLayerType = nvinfer1::LayerType::kDECONVOLUTION;

    int64_t groups = 1;
    Dims stride{};
    Dims dilation{};

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.groups, self.stride, self.dilation);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;

    /// Phases of all axes: the product of the strides.
    int64_t phases() const;
    /// Taps along an axis whose kernel has `size` elements.
    int64_t taps(int32_t axis, int64_t size) const;
};

} // namespace kiln::graph
