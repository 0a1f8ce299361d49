// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// DeformConv: a convolution whose kernel reads at positions of their own.
//   X: [batch, channels, height, width], W: [maps, channels / group, kernel...],
//   offset: [batch, offset groups * kernel * 2, height', width'], mask: the same without the 2
// Samples of all kernel positions, then a product with the weights.
// Layer: grid sample and matrix multiply. 2-D; kernels of 1,024 elements at most.

#include "onnx/importer_registry.h"
#include "onnx/term.h"
#include "onnx/window_attributes.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::InterpolationMode;

namespace {

struct Deformation {
    Windows windows;
    int64_t groups;
    int64_t offsetGroups;
    int64_t kernel; // elements
};

Deformation readDeformation(NodeContext& context) {
    Dims const weights = context.dims(context.input(1));
    if (spatialRankOf(context) != 2 || weights.nbDims != 4 || weights.d[2] < 1 ||
        weights.d[3] < 1) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("expected images of rank 4 and weights with a known kernel, got ",
                          context.dims(context.input(0)), " and ", weights, "."));
    }
    Dims const extents{2, {weights.d[2], weights.d[3]}};
    Deformation how{readWindows(context, 2, &extents), context.attributes().integer("group", 1),
                    context.attributes().integer("offset_group", 1),
                    productOf(weights.d[2], weights.d[3], "kernel")};
    constexpr int64_t kMostElements = 1024; // positions of a hostile model stay small
    if (how.kernel > kMostElements) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 1 (weights): expected a kernel of at most ", kMostElements,
                          " elements, got ", weights, "."));
    }
    if (how.groups < 1 || how.offsetGroups < 1) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attributes 'group' and 'offset_group': expected 1 or more, got ",
                          how.groups, " and ", how.offsetGroups, "."));
    }
    return how;
}

// Where the kernel elements are along an axis without offsets: [1, kernel, extent, 1], with the
// last two exchanged for the horizontal axis.
Term regularPositions(Deformation const& how, int32_t axis, Term extent) {
    NodeContext& context = extent.context();
    int64_t const columns = how.windows.extents.d[1];
    std::vector<double> first;
    for (int64_t i = 0; i < how.kernel; ++i) {
        int64_t const at = axis == 0 ? i / columns : i % columns;
        first.push_back(
            static_cast<double>(at * how.windows.dilations.d[axis] - how.windows.before.d[axis]));
    }
    Term const starts =
        Term::constant(context, first, Dims{4, {1, how.kernel, 1, 1}}, DataType::kFLOAT);
    Term const steps = Term::range(extent).cast(DataType::kFLOAT) *
                       static_cast<double>(how.windows.strides.d[axis]);
    return starts + (axis == 0 ? steps.inserted({0, 1, 3}) : steps.inserted({0, 1, 2}));
}

// Samples [batch * offset groups, channels / offset groups, kernel * height', width'].
Term samplesOf(Deformation const& how, Term x, Term offset) {
    NodeContext& context = x.context();
    auto const number = [&](int64_t value) { return Term::vector(context, {value}); };
    Term const result = offset.extents({2, 3});
    Term const shifts =
        offset.cast(DataType::kFLOAT)
            .reshaped(Term::joined({number(-1), number(how.kernel), number(2), result}, 0));
    std::vector<Term> coordinates; // x first
    for (int32_t const axis : {1, 0}) {
        Term const shift = shifts.sliced(2, axis, 1).removed({2});
        Term const extent = offset.extent(2 + axis);
        Term const at = regularPositions(how, axis, extent) + shift;
        Term const size = x.extent(2 + axis).cast(DataType::kFLOAT);
        Term const relative = (at * 2.0 + 1.0) / size - 1.0; // -1 and 1: the edges of the image
        coordinates.push_back(relative.inserted({4}));
    }
    Term const rows = result.sliced(0, 0, 1) * number(how.kernel);
    Term const grid =
        Term::joined(coordinates, 4)
            .reshaped(Term::joined({number(-1), rows, result.sliced(0, 1, 1), number(2)}, 0));
    Term const batch = x.extent(0) * number(how.offsetGroups);
    Term const channels = x.extent(1).floorDiv(number(how.offsetGroups));
    Term const images = x.reshaped(Term::joined({batch, channels, x.extents({2, 3})}, 0));
    auto* layer = context.network().addGridSample(images.tensor(), grid.tensor());
    Term const samples = x.of(layer);
    layer->setInterpolationMode(InterpolationMode::kLINEAR);
    return samples;
}

void importDeformConv(NodeContext& context) {
    Deformation const how = readDeformation(context);
    Term const x = Term::input(context, 0);
    Term const weights = Term::input(context, 1);
    Term const offset = Term::input(context, 2);
    auto const number = [&](int64_t value) { return Term::vector(context, {value}); };
    Term samples = samplesOf(how, x, offset);
    if (context.hasInput(4)) {
        Term const shape = Term::joined({samples.extent(0), number(1), samples.extents({2, 3})}, 0);
        samples = samples * Term::input(context, 4).cast(x.type()).reshaped(shape);
    }
    Term const extents = offset.extents({2, 3});
    Term const perGroup = x.extent(1).floorDiv(number(how.groups)) * number(how.kernel);
    Term const columns = samples.reshaped(
        Term::joined({x.extent(0), number(how.groups), perGroup, extents.product({0})}, 0));
    Term const maps = weights.extent(0);
    Term const matrices = weights.reshaped(Term::joined(
        {number(1), number(how.groups), maps.floorDiv(number(how.groups)), perGroup}, 0));
    Term result = matrices.matmul(columns).reshaped(Term::joined({x.extent(0), maps, extents}, 0));
    if (context.hasInput(3)) {
        result = result + Term::input(context, 3).inserted({0, 2, 3});
    }
    context.setOutput(0, result.value());
}

} // namespace

void registerImporter_deform_convolution(ImporterRegistry& registry) {
    registry.add("DeformConv", importDeformConv);
}

} // namespace kiln::onnx
