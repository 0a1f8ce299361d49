// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling, which slide a window and share its settings.
#include "bindings.h"
#include "layer_hook.h"
#include "native_object.h"
#include "weights.h"

namespace kiln::python {
namespace {

using nvinfer1::IConvolutionLayer;
using nvinfer1::ILayer;
using nvinfer1::IPoolingLayer;
using nvinfer1::Weights;

template <typename Layer, typename Class>
void bindWindow(Class& cls) {
    cls.def_property("stride_nd", &Layer::getStrideNd, &Layer::setStrideNd,
                     "Dims: steps of the window. Default: ones.")
        .def_property("padding_nd", &Layer::getPaddingNd, &Layer::setPaddingNd,
                      "Dims: padding on both sides. Default: zeros.")
        .def_property("pre_padding", &Layer::getPrePadding, &Layer::setPrePadding,
                      "Dims: padding before the first element. Default: zeros.")
        .def_property("post_padding", &Layer::getPostPadding, &Layer::setPostPadding,
                      "Dims: padding after the last element. Default: zeros.")
        .def_property("padding_mode", &Layer::getPaddingMode, &Layer::setPaddingMode,
                      "PaddingMode: how paddings and output extents follow from the input. "
                      "Default: EXPLICIT_ROUND_DOWN.");
}

/// Getter and setter of one of a layer's weights.
auto weightsGetter(Weights (IConvolutionLayer::*get)() const noexcept) {
    return [get](py::object const& self) {
        return fromWeights((self.cast<IConvolutionLayer&>().*get)(), self);
    };
}

auto weightsSetter(void (IConvolutionLayer::*set)(Weights) noexcept) {
    return [set](py::object const& self, py::object const& value) {
        WeightsObject const weights = toWeights(value);
        (self.cast<IConvolutionLayer&>().*set)(weights.native);
        keepWeightsOfLayer(self, weights);
    };
}

} // namespace

void initWindowLayers(py::module_& m) {
    py::class_<IConvolutionLayer, ILayer, Borrowed<IConvolutionLayer>> convolution(
        m, "IConvolutionLayer", "Convolves with a kernel.");
    bindWindow<IConvolutionLayer>(convolution);
    convolution
        .def_property("num_output_maps", &IConvolutionLayer::getNbOutputMaps,
                      &IConvolutionLayer::setNbOutputMaps, "int: the channels of the output.")
        .def_property("num_groups", &IConvolutionLayer::getNbGroups,
                      &IConvolutionLayer::setNbGroups,
                      "int: groups of channels convolved separately. Default: 1.")
        .def_property("kernel_size_nd", &IConvolutionLayer::getKernelSizeNd,
                      &IConvolutionLayer::setKernelSizeNd, "Dims: the extents of the kernel.")
        .def_property("dilation_nd", &IConvolutionLayer::getDilationNd,
                      &IConvolutionLayer::setDilationNd,
                      "Dims: steps between kernel elements. Default: ones.")
        .def_property("kernel", weightsGetter(&IConvolutionLayer::getKernelWeights),
                      weightsSetter(&IConvolutionLayer::setKernelWeights),
                      "numpy.ndarray | Weights: [outputs, inputs / groups, kernel...], flat.")
        .def_property("bias", weightsGetter(&IConvolutionLayer::getBiasWeights),
                      weightsSetter(&IConvolutionLayer::setBiasWeights),
                      "numpy.ndarray | Weights: [outputs], or empty.");

    py::class_<IPoolingLayer, ILayer, Borrowed<IPoolingLayer>> pooling(
        m, "IPoolingLayer", "Takes the largest or the mean of each window.");
    bindWindow<IPoolingLayer>(pooling);
    pooling
        .def_property("type", &IPoolingLayer::getPoolingType, &IPoolingLayer::setPoolingType,
                      "PoolingType: what is taken.")
        .def_property("window_size_nd", &IPoolingLayer::getWindowSizeNd,
                      &IPoolingLayer::setWindowSizeNd, "Dims: the extents of the window.")
        .def_property("blend_factor", &IPoolingLayer::getBlendFactor,
                      &IPoolingLayer::setBlendFactor,
                      "float: share of the mean in MAX_AVERAGE_BLEND, 0 to 1.")
        .def_property("average_count_excludes_padding",
                      &IPoolingLayer::getAverageCountExcludesPadding,
                      &IPoolingLayer::setAverageCountExcludesPadding,
                      "bool: whether a mean excludes padding. Default: True.");
}

} // namespace kiln::python
