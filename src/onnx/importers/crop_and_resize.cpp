// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CropAndResize of com.microsoft, as TensorFlow has it: boxes [top, left, bottom, right], in parts
// of the image, become images of one size. Corners of a box are the centres of corner pixels.
// Layer: gather and grid sample. The size is a constant.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::InterpolationMode;

namespace {

// Positions of `count` samples from `first` to `last`, [boxes, count]; 0 and 1 are the borders.
Term positions(Term first, Term last, int64_t count) {
    NodeContext& context = first.context();
    if (count == 1) {
        return (first + last) * 0.5;
    }
    Term const steps = Term::range(Term::vector(context, {count})).cast(first.type()).inserted({0});
    return first + (last - first) * (steps / static_cast<double>(count - 1));
}

// The centres of the pixels that are nearest; halves are rounded up.
Term nearest(Term places, Term image, int32_t axis) {
    Term const most = (image.extent(axis) - 1).max(1.0).cast(places.type());
    return (places * most + 0.5).floor() / most;
}

void importCropAndResize(NodeContext& context) {
    auto& attributes = context.attributes();
    std::string const mode = attributes.string("mode", "bilinear");
    if (mode != "bilinear" && mode != "nearest") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'mode': expected bilinear or nearest, got '", mode, "'."));
    }
    auto const size = context.integers(3, "crop_size", 2);
    if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] >= kFarthest ||
        size[1] >= kFarthest) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 3 (crop_size): expected a height and a width, got ", size, "."));
    }
    Term const boxes = Term::input(context, 1);
    Term const images = Term::input(context, 0).gathered(Term::input(context, 2), 0);
    auto const border = [&](int64_t which) { return boxes.sliced(1, which, 1); };
    Term const y = positions(border(0), border(2), size[0]).inserted({2});
    Term const x = positions(border(1), border(3), size[1]).inserted({1});
    bool const rounds = mode == "nearest";
    Term const all = Term::joined({boxes.extent(0), Term::vector(context, size)}, 0);
    auto const joined = [&](Term columns, Term rows) {
        return Term::joined({columns.expanded(all).inserted({3}), rows.expanded(all).inserted({3})},
                            3);
    };
    Term const places = joined(x, y);
    Term const samples = rounds ? joined(nearest(x, images, 3), nearest(y, images, 2)) : places;
    auto* const layer =
        context.network().addGridSample(images.tensor(), (samples * 2.0 - 1.0).tensor());
    Term const sampled = images.of(layer);
    layer->setAlignCorners(true);
    layer->setSampleMode(nvinfer1::SampleMode::kCLAMP);
    layer->setInterpolationMode(rounds ? InterpolationMode::kNEAREST : InterpolationMode::kLINEAR);
    Term const inside = (places >= 0.0 && places <= 1.0).cast(DataType::kINT32);
    Term const isInside = (inside.smallest({3}, false) > 0.0).inserted({1});
    Term const outside = sampled.like(attributes.real("extrapolation_value", 0.0F));
    context.setOutput(0, isInside.choose(sampled, outside).value());
}

} // namespace

void registerImporter_crop_and_resize(ImporterRegistry& registry) {
    registry.add("com.microsoft", "CropAndResize", importCropAndResize);
}

} // namespace kiln::onnx
