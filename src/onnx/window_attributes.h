// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Attributes that convolutions and poolings share: kernel_shape, strides, dilations, pads,
// auto_pad.
#pragma once

#include "onnx/node_context.h"

namespace kiln::onnx {

// One entry for each spatial axis, outermost first.
struct Windows {
    nvinfer1::Dims extents;
    nvinfer1::Dims strides;
    nvinfer1::Dims dilations;
    nvinfer1::Dims before;
    nvinfer1::Dims after;
    nvinfer1::PaddingMode mode;
};

// spatialRank: 1 to 3. extents: the required kernel_shape; null if the attribute must be present.
Windows readWindows(NodeContext& context, int32_t spatialRank, nvinfer1::Dims const* extents);

// Number of spatial axes of input 0, [batch, channels, spatial...]; ImportError unless 1 to 3.
int32_t spatialRankOf(NodeContext& context);

// Makes explicit windows include a last, incomplete one (ceil_mode), except one that would start in
// the padding after the input. False if no padding mode expresses that.
bool roundUpWindows(NodeContext& context, Windows& windows);

// Sets padding and strides, which convolution and pooling layers have in common.
template <typename Layer>
void applyWindows(Layer& layer, Windows const& windows) {
    layer.setStrideNd(windows.strides);
    layer.setPaddingMode(windows.mode);
    layer.setPrePadding(windows.before);
    layer.setPostPadding(windows.after);
}

} // namespace kiln::onnx
