// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// RoiAlign and MaxRoiPool: boxes of images, brought to one size.
// Layer: RoI align, a layer of Kiln's own. Rank 4.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <kiln/extra_layers.h>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

RoiPooling poolingOf(NodeContext& context) {
    std::string const mode = context.attributes().string("mode", "avg");
    if (mode != "avg" && mode != "max") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'mode': expected \"avg\" or \"max\", got \"", mode, "\"."));
    }
    return mode == "avg" ? RoiPooling::kAVERAGE : RoiPooling::kMAX;
}

bool usesHalfPixels(NodeContext& context) {
    constexpr int64_t kFirstWithModes = 16;
    std::string const standard =
        context.opset() >= kFirstWithModes ? "half_pixel" : "output_half_pixel";
    std::string const mode =
        context.attributes().string("coordinate_transformation_mode", standard);
    if (mode != "half_pixel" && mode != "output_half_pixel") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'coordinate_transformation_mode': expected \"half_pixel\" or "
                          "\"output_half_pixel\", got \"",
                          mode, "\"."));
    }
    return mode == "half_pixel";
}

void importRoiAlign(NodeContext& context) {
    auto& attributes = context.attributes();
    RoiAlignParams params;
    params.height = attributes.integer("output_height", 1);
    params.width = attributes.integer("output_width", 1);
    params.samplingRatio =
        toInt32(attributes.integer("sampling_ratio", 0), "attribute 'sampling_ratio'");
    params.pooling = poolingOf(context);
    params.scale = attributes.real("spatial_scale", 1.0F);
    params.halfPixel = usesHalfPixels(context);
    context.setOutput(context.named(addRoiAlign(context.network(), context.tensor(0),
                                                context.tensor(1), context.tensor(2), params)));
}

// Boxes are [boxes, 5]: the image, then the coordinates.
void importMaxRoiPool(NodeContext& context) {
    auto const shape = context.attributes().integers("pooled_shape", {});
    if (shape.size() != 2) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'pooled_shape': expected 2 numbers, got ", shape, "."));
    }
    RoiAlignParams params;
    params.height = shape[0];
    params.width = shape[1];
    params.pooling = RoiPooling::kBINS;
    params.scale = context.attributes().real("spatial_scale", 1.0F);
    params.halfPixel = false;
    Term const boxes = Term::input(context, 1);
    constexpr int64_t kCoordinates = 4;
    Term const batch = boxes.sliced(1, 0, 1).cast(DataType::kINT32).removed({1});
    context.setOutput(context.named(addRoiAlign(context.network(), context.tensor(0),
                                                boxes.sliced(1, 1, kCoordinates).tensor(),
                                                batch.tensor(), params)));
}

} // namespace

void registerImporter_roi_align(ImporterRegistry& registry) {
    registry.add("RoiAlign", importRoiAlign);
    registry.add("MaxRoiPool", importMaxRoiPool);
}

} // namespace kiln::onnx
