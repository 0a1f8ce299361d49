// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/deconvolution.h"

#include "api/layers/window_layer.h"

namespace kiln::api {
namespace {

using graph::Deconvolution;
using nvinfer1::Dims;
using nvinfer1::Weights;

class DeconvolutionLayer final : public WindowLayer<nvinfer1::IDeconvolutionLayer, Deconvolution> {
public:
    using WindowLayer::WindowLayer;

    void setNbOutputMaps(int64_t nbOutputMaps) noexcept override {
        set("number of output maps", [&](Deconvolution& op) { op.maps = nbOutputMaps; });
    }
    int64_t getNbOutputMaps() const noexcept override { return op().maps; }

    void setNbGroups(int64_t nbGroups) noexcept override {
        set("number of groups", [&](Deconvolution& op) { op.groups = nbGroups; });
    }
    int64_t getNbGroups() const noexcept override { return op().groups; }

    void setKernelWeights(Weights weights) noexcept override {
        set("kernel weights", [&](Deconvolution& op) { op.kernel = weights; });
    }
    Weights getKernelWeights() const noexcept override { return op().kernel; }

    void setBiasWeights(Weights weights) noexcept override {
        set("bias weights", [&](Deconvolution& op) { op.bias = weights; });
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

nvinfer1::IDeconvolutionLayer* NetworkDefinition::addDeconvolutionNd(nvinfer1::ITensor& input,
                                                                     int64_t nbOutputMaps,
                                                                     Dims kernelSize,
                                                                     Weights kernelWeights,
                                                                     Weights biasWeights) noexcept {
    Deconvolution op;
    op.maps = nbOutputMaps;
    op.window = graph::Window::ofSize(kernelSize);
    op.kernel = kernelWeights;
    op.bias = biasWeights;
    return addOpLayer<DeconvolutionLayer>(*this, "deconvolution layer", op, {&input});
}

} // namespace kiln::api
