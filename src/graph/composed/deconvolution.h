// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"
#include "graph/window.h"
#include "kiln/api/network/deconvolution_layer.h"

namespace kiln::graph {

/// Transposed convolution of [batch, channels, spatial...]. Kernel [channels, maps / groups,
/// size...] and bias [maps] are weights or operands 1 and 2.
///
/// Its parts are a convolution of the input as it is, whose maps are all outputs of one stride
/// (PhaseKernel), and Interleave, which puts them side by side. So it needs no kernels of its own
/// for the sums, multiplies no zeros between the elements, and weights are prepared once. Rejected:
/// a convolution of the input with zeros between its elements, with stride times as many products
/// along each axis.
class Deconvolution final : public ComposedOp<Deconvolution> {
public:
    static constexpr std::string_view kKind = "Deconvolution";
    static constexpr auto kLayerType = nvinfer1::LayerType::kDECONVOLUTION;

    int64_t maps = 1;
    int64_t groups = 1;
    Window window; ///< padding removes elements of the output
    nvinfer1::Weights kernel{DataType::kFLOAT, nullptr, 0}; ///< count 0: operand 1
    nvinfer1::Weights bias{DataType::kFLOAT, nullptr, 0};   ///< count 0: operand 2, or none

    std::string problem() const;
    void check(InferContext const& context) const;
    bool mayBeAbsent(int32_t operand) const override { return operand == 1 && kernel.count > 0; }
    std::vector<WeightSlot> weights(int32_t inputCount) const override;
    std::unique_ptr<Region> parts(InferContext const& context) const override;

private:
    Dims kernelDims(int64_t channels) const;
    void checkKernel(InferContext const& context, int64_t channels) const;
    void checkExtents(InferContext const& context) const;
    Window::Padding paddingOf(int32_t axis) const;
};

} // namespace kiln::graph
