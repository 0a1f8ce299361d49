// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "graph/window.h"
#include "kiln/api/network/convolution_layer.h"

namespace kiln::graph {

/// Convolution over the spatial axes of [batch, channels, spatial...]. Kernel [maps, channels /
/// groups, spatial...] and bias [maps] are weights or operands 1 and 2.
class Convolution final : public OpBase<Convolution> {
public:
    static constexpr std::string_view kKind = "Convolution";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONVOLUTION;
    static constexpr auto kClass = OpClass::kAnchor;

    int64_t maps = 1;
    int64_t groups = 1;
    Window window;
    nvinfer1::Weights kernel{DataType::kFLOAT, nullptr, 0}; ///< count 0: operand 1
    nvinfer1::Weights bias{DataType::kFLOAT, nullptr, 0};   ///< count 0: operand 2, or none

    /// Indices of kernel and bias among all operands, weights included. bias is 0 if there is none.
    struct Places {
        std::size_t kernel = 1;
        std::size_t bias = 0;
    };
    static Places places(std::size_t operands) { return {1, operands > 2 ? 2U : 0U}; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.maps, self.groups);
        Window::fields(self.window, visit);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    /// The kernel, if the layer has weights for it.
    bool mayBeAbsent(int32_t operand) const override { return operand == 1 && kernel.count > 0; }
    std::vector<WeightSlot> weights(int32_t inputCount) const override;

private:
    /// Dimensions of a kernel with `channels` channels for each map.
    Dims kernelDims(int64_t channels) const;
    void checkWeights(InferContext const& context) const;
    void checkKernel(InferContext const& context, std::size_t operand) const;
};

} // namespace kiln::graph
