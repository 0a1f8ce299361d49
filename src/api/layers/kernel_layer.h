// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/layers/window_layer.h"

namespace kiln::api {

/// The setters that convolution and deconvolution layers share. OpType has members `maps`,
/// `groups`, `kernel` and `bias` beside `window`.
template <typename Interface, typename OpType>
class KernelLayer final : public WindowLayer<Interface, OpType> {
public:
    using WindowLayer<Interface, OpType>::WindowLayer;
    using Dims = nvinfer1::Dims;
    using Weights = nvinfer1::Weights;

    void setNbOutputMaps(int64_t nbOutputMaps) noexcept override {
        this->set("number of output maps", [&](OpType& op) { op.maps = nbOutputMaps; });
    }
    int64_t getNbOutputMaps() const noexcept override { return this->op().maps; }

    void setNbGroups(int64_t nbGroups) noexcept override {
        this->set("number of groups", [&](OpType& op) { op.groups = nbGroups; });
    }
    int64_t getNbGroups() const noexcept override { return this->op().groups; }

    void setKernelWeights(Weights weights) noexcept override {
        this->set("kernel weights", [&](OpType& op) { op.kernel = weights; });
    }
    Weights getKernelWeights() const noexcept override { return this->op().kernel; }

    void setBiasWeights(Weights weights) noexcept override {
        this->set("bias weights", [&](OpType& op) { op.bias = weights; });
    }
    Weights getBiasWeights() const noexcept override { return this->op().bias; }

    void setKernelSizeNd(Dims const& kernelSize) noexcept override {
        this->setWindow("kernel size", [&](graph::Window& window) { window.size = kernelSize; });
    }
    Dims getKernelSizeNd() const noexcept override { return this->window().size; }

    void setDilationNd(Dims const& dilation) noexcept override {
        this->setWindow("dilation", [&](graph::Window& window) { window.dilation = dilation; });
    }
    Dims getDilationNd() const noexcept override { return this->window().dilation; }
};

/// Adds a layer of this kind. Reports and returns null if its parameters are invalid.
template <typename Interface, typename OpType>
Interface* addKernelLayer(NetworkDefinition& network, char const* kind, nvinfer1::ITensor& input,
                          int64_t maps, nvinfer1::Dims const& size, nvinfer1::Weights kernel,
                          nvinfer1::Weights bias) noexcept {
    OpType op;
    op.maps = maps;
    op.window = graph::Window::ofSize(size);
    op.kernel = kernel;
    op.bias = bias;
    return addOpLayer<KernelLayer<Interface, OpType>>(network, kind, op, {&input});
}

} // namespace kiln::api
