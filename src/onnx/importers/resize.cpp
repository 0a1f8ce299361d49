// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Resize and Upsample by constant scales, or by sizes, which may be computed.
// Layer: resize. No crop, no antialiasing; scales are constants.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::InterpolationMode;
using nvinfer1::IResizeLayer;
using nvinfer1::ResizeCoordinateTransformation;
using nvinfer1::ResizeRoundMode;
using nvinfer1::ResizeSelector;

namespace {

template <typename T>
struct Choice {
    char const* name;
    T value;
};

// The value of an attribute that names one of some choices.
template <typename T, size_t kCount>
T chosen(NodeContext& context, char const* attribute, char const* otherwise,
         std::array<Choice<T>, kCount> const& choices) {
    std::string const name = context.attributes().string(attribute, otherwise);
    std::string known;
    for (Choice<T> const& choice : choices) {
        if (name == choice.name) {
            return choice.value;
        }
        known += text(known.empty() ? "" : ", ", choice.name);
    }
    context.fail(
        ErrorCode::kUNSUPPORTED_NODE_ATTR,
        text("attribute '", attribute, "': expected one of ", known, ", got '", name, "'."));
}

constexpr std::array<Choice<InterpolationMode>, 4> kModes = {
    {{"nearest", InterpolationMode::kNEAREST},
     {"linear", InterpolationMode::kLINEAR},
     {"bilinear", InterpolationMode::kLINEAR},
     {"cubic", InterpolationMode::kCUBIC}}};

struct Coordinates {
    ResizeCoordinateTransformation transformation;
    ResizeSelector selector;
};
constexpr std::array<Choice<Coordinates>, 4> kTransformations = {
    {{"half_pixel", {ResizeCoordinateTransformation::kHALF_PIXEL, ResizeSelector::kFORMULA}},
     {"pytorch_half_pixel", {ResizeCoordinateTransformation::kHALF_PIXEL, ResizeSelector::kUPPER}},
     {"align_corners", {ResizeCoordinateTransformation::kALIGN_CORNERS, ResizeSelector::kFORMULA}},
     {"asymmetric", {ResizeCoordinateTransformation::kASYMMETRIC, ResizeSelector::kFORMULA}}}};

constexpr std::array<Choice<ResizeRoundMode>, 4> kRoundings = {
    {{"round_prefer_floor", ResizeRoundMode::kHALF_DOWN},
     {"round_prefer_ceil", ResizeRoundMode::kHALF_UP},
     {"floor", ResizeRoundMode::kFLOOR},
     {"ceil", ResizeRoundMode::kCEIL}}};

// The axes that scales and sizes are for.
std::vector<int32_t> axesOf(NodeContext& context, int32_t rank) {
    std::vector<int64_t> all;
    for (int32_t axis = 0; axis < rank; ++axis) {
        all.push_back(axis);
    }
    return toAxes(context.attributes().integers("axes", all), rank);
}

// With align_corners, the operator scales by extents that are not rounded, the layer by those of
// the output.
void refuseRoundedCorners(NodeContext& context, IResizeLayer const& layer,
                          std::vector<float> const& scales) {
    Dims const dims = context.dims(context.input(0));
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        double const extent = static_cast<double>(dims.d[axis]) *
                              static_cast<double>(scales[static_cast<size_t>(axis)]);
        if (layer.getCoordinateTransformation() == ResizeCoordinateTransformation::kALIGN_CORNERS &&
            dims.d[axis] >= 0 && std::abs(extent - std::round(extent)) > 1e-3) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                         text("attribute 'coordinate_transformation_mode': expected whole extents "
                              "of the output for align_corners, got ",
                              extent, " for axis ", axis, ". Pass sizes."));
        }
    }
}

void setScales(NodeContext& context, IResizeLayer& layer, std::vector<float> const& given,
               std::vector<int32_t> const& axes, int32_t rank) {
    if (given.size() != axes.size()) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("scales: expected ", axes.size(), " numbers, got ", given.size(), "."));
    }
    std::vector<float> scales(static_cast<size_t>(rank), 1.0F);
    for (size_t i = 0; i < axes.size(); ++i) {
        scales[static_cast<size_t>(axes[i])] = given[i];
    }
    refuseRoundedCorners(context, layer, scales);
    layer.setScales(scales.data(), rank);
}

std::vector<float> realsOf(NodeContext& context, size_t index) {
    Constant const& constant = context.constant(index, "scales");
    if (constant.weights.type != nvinfer1::DataType::kFLOAT ||
        constant.weights.count > Dims::MAX_DIMS) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("input ", index, " (scales): expected at most ",
                          static_cast<int32_t>(Dims::MAX_DIMS), " float32 numbers, got ",
                          constant.weights.count, "."));
    }
    auto const* values = static_cast<float const*>(constant.weights.values);
    return {values, values + constant.weights.count};
}

void setSizes(NodeContext& context, IResizeLayer& layer, size_t index,
              std::vector<int32_t> const& axes, int32_t rank) {
    ShapeMath math(context);
    nvinfer1::ITensor& sizes = math.operand(index);
    bool inOrder = axes.size() == static_cast<size_t>(rank);
    for (int32_t axis = 0; inOrder && axis < rank; ++axis) {
        inOrder = axes[static_cast<size_t>(axis)] == axis;
    }
    if (inOrder) {
        layer.setInput(1, sizes);
        return;
    }
    // The extents of the input, with some replaced.
    std::vector<int64_t> const known = context.integers(index, "sizes", Dims::MAX_DIMS);
    Dims const input = context.dims(context.input(0));
    std::vector<int64_t> extents(input.d, input.d + rank);
    for (size_t i = 0; i < axes.size() && i < known.size(); ++i) {
        extents[static_cast<size_t>(axes[i])] = known[i];
    }
    if (known.size() != axes.size() ||
        std::count(extents.begin(), extents.end(), int64_t{-1}) != 0) {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
            text("sizes of some axes: expected known extents of the others, got ", input, "."));
    }
    layer.setOutputDimensions(toDims(extents, "sizes"));
}

void refuseOthers(NodeContext& context) {
    if (context.attributes().integer("antialias", 0) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'antialias': expected 0, got another value.");
    }
    std::string const policy = context.attributes().string("keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'keep_aspect_ratio_policy': expected stretch, got '", policy, "'."));
    }
    context.attributes().real("extrapolation_value", 0.0F); // of crops only
}

bool isEmptyConstant(NodeContext& context, size_t index) {
    Dims const dims = context.dims(context.input(index));
    return dims.nbDims == 1 && dims.d[0] == 0;
}

void importResize(NodeContext& context) {
    bool const old = context.opset() < 11; // scales are input 1
    size_t const scales = old ? 1 : 2;
    constexpr size_t kSizes = 3;
    int32_t const rank = context.dims(context.input(0)).nbDims;
    refuseOthers(context);
    auto& layer = context.named(context.network().addResize(context.tensor(0)));
    layer.setResizeMode(chosen(context, "mode", "nearest", kModes));
    Coordinates const coordinates = chosen(context, "coordinate_transformation_mode",
                                           old ? "asymmetric" : "half_pixel", kTransformations);
    layer.setCoordinateTransformation(coordinates.transformation);
    layer.setSelectorForSinglePixel(coordinates.selector);
    layer.setNearestRounding(
        chosen(context, "nearest_mode", old ? "floor" : "round_prefer_floor", kRoundings));
    layer.setCubicCoeff(context.attributes().real("cubic_coeff_a", -0.75F));
    layer.setExcludeOutside(context.attributes().flag("exclude_outside", false));
    std::vector<int32_t> const axes = axesOf(context, rank);
    if (context.hasInput(scales) && !isEmptyConstant(context, scales)) {
        setScales(context, layer, realsOf(context, scales), axes, rank);
    } else {
        setSizes(context, layer, kSizes, axes, rank);
    }
    context.setOutput(layer);
}

void importUpsample(NodeContext& context) {
    if (context.opset() < 9) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected operator set 9 or later, got ", context.opset(), "."));
    }
    int32_t const rank = context.dims(context.input(0)).nbDims;
    auto& layer = context.named(context.network().addResize(context.tensor(0)));
    layer.setResizeMode(chosen(context, "mode", "nearest", kModes));
    setScales(context, layer, realsOf(context, 1), axesOf(context, rank), rank);
    context.setOutput(layer);
}

} // namespace

void registerImporter_resize(ImporterRegistry& registry) {
    registry.add("Resize", importResize);
    registry.add("Upsample", importUpsample);
}

} // namespace kiln::onnx
