// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// GridSample of images.
// Layer: grid sample. Rank 4.

#include "onnx/importer_registry.h"

namespace kiln::onnx {

using nvinfer1::InterpolationMode;
using nvinfer1::SampleMode;

namespace {

// Operator set 20 renamed the modes.
InterpolationMode interpolationOf(NodeContext& context) {
    std::string const mode = context.attributes().string("mode", "linear");
    if (mode == "linear" || mode == "bilinear") {
        return InterpolationMode::kLINEAR;
    }
    if (mode == "cubic" || mode == "bicubic") {
        return InterpolationMode::kCUBIC;
    }
    if (mode != "nearest") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'mode': expected linear, nearest or cubic, got '", mode, "'."));
    }
    return InterpolationMode::kNEAREST;
}

SampleMode sampleModeOf(NodeContext& context) {
    std::string const mode = context.attributes().string("padding_mode", "zeros");
    if (mode == "border") {
        return SampleMode::kCLAMP;
    }
    if (mode == "reflection") {
        return SampleMode::kREFLECT;
    }
    if (mode != "zeros") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'padding_mode': expected zeros, border or reflection, got '",
                          mode, "'."));
    }
    return SampleMode::kFILL;
}

void importGridSample(NodeContext& context) {
    auto& layer =
        context.named(context.network().addGridSample(context.tensor(0), context.tensor(1)));
    layer.setInterpolationMode(interpolationOf(context));
    layer.setSampleMode(sampleModeOf(context));
    layer.setAlignCorners(context.attributes().flag("align_corners", false));
    context.setOutput(layer);
}

} // namespace

void registerImporter_grid_sample(ImporterRegistry& registry) {
    registry.add("GridSample", importGridSample);
}

} // namespace kiln::onnx
