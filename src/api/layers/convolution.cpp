// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/convolution.h"

#include "api/layers/window_layer.h"

namespace kiln::api {
namespace {

using graph::Convolution;
using nvinfer1::Dims;
using nvinfer1::Weights;

class ConvolutionLayer final : public WindowLayer<nvinfer1::IConvolutionLayer, Convolution> {
public:
    using WindowLayer::WindowLayer;

    void setNbOutputMaps(int64_t nbOutputMaps) noexcept override {
        set("number of output maps", [&](Convolution& op) { op.maps = nbOutputMaps; });
    }
    int64_t getNbOutputMaps() const noexcept override { return op().maps; }

    void setNbGroups(int64_t nbGroups) noexcept override {
        set("number of groups", [&](Convolution& op) { op.groups = nbGroups; });
    }
    int64_t getNbGroups() const noexcept override { return op().groups; }

    void setKernelWeights(Weights weights) noexcept override {
        set("kernel weights", [&](Convolution& op) { op.kernel = weights; });
    }
    Weights getKernelWeights() const noexcept override { return op().kernel; }

    void setBiasWeights(Weights weights) noexcept override {
        set("bias weights", [&](Convolution& op) { op.bias = weights; });
    }
    Weights getBiasWeights() const noexcept override { return op().bias; }

    void setKernelSizeNd(Dims const& kernelSize) noexcept override {
        setWindow("kernel size", [&](graph::Window& window) { window.size = kernelSize; });
    }
    Dims getKernelSizeNd() const noexcept override { return window().size; }

    void setDilationNd(Dims const& dilation) noexcept override {
        setWindow("dilation", [&](graph::Window& window) { window.dilation = dilation; });
    }
    Dims getDilationNd() const noexcept override { return window().dilation; }
};

} // namespace

nvinfer1::IConvolutionLayer* NetworkDefinition::addConvolutionNd(nvinfer1::ITensor& input,
                                                                 int64_t nbOutputMaps,
                                                                 Dims const& kernelSize,
                                                                 Weights kernelWeights,
                                                                 Weights biasWeights) noexcept {
    Convolution op;
    op.maps = nbOutputMaps;
    op.window = graph::Window::ofSize(kernelSize);
    op.kernel = kernelWeights;
    op.bias = biasWeights;
    return addOpLayer<ConvolutionLayer>(*this, "convolution layer", op, {&input});
}

} // namespace kiln::api
