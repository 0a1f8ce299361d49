// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Resize and Upsample by scales or sizes, which may be computed. resize_parts.h has what the layer
// lacks.
// Layer: resize; gather, elementwise and matrix multiply for crops and computed scales.

#include "onnx/importer_registry.h"
#include "onnx/resize_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kiln::onnx {

using nvinfer1::DataType;
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

constexpr std::array<Choice<CoordinateRule>, 7> kRules = {
    {{"half_pixel", CoordinateRule::kHalfPixel},
     {"pytorch_half_pixel", CoordinateRule::kPytorchHalfPixel},
     {"align_corners", CoordinateRule::kAlignCorners},
     {"asymmetric", CoordinateRule::kAsymmetric},
     {"tf_crop_and_resize", CoordinateRule::kCropAndResize},
     {"half_pixel_symmetric", CoordinateRule::kHalfPixelSymmetric},
     {"tf_half_pixel_for_nn", CoordinateRule::kHalfPixelForNearest}}};

constexpr std::array<Choice<ResizeRoundMode>, 4> kRoundings = {
    {{"round_prefer_floor", ResizeRoundMode::kHALF_DOWN},
     {"round_prefer_ceil", ResizeRoundMode::kHALF_UP},
     {"floor", ResizeRoundMode::kFLOOR},
     {"ceil", ResizeRoundMode::kCEIL}}};

enum class Policy { kStretch, kNotLarger, kNotSmaller };
constexpr std::array<Choice<Policy>, 3> kPolicies = {{{"stretch", Policy::kStretch},
                                                      {"not_larger", Policy::kNotLarger},
                                                      {"not_smaller", Policy::kNotSmaller}}};

// What the node asks for.
struct Request {
    Dims input;
    Sampling sampling;
    Policy policy;
    std::vector<int32_t> axes;  // that scales and sizes are for
    std::vector<float> scales;  // one for each of the axes, if they are known
    Term givenScales;           // FLOAT; if there are some
    Term givenSizes;            // INT64; if there are some
    std::vector<int64_t> sizes; // if they are known
    Term crop;                  // FLOAT: beginnings, then ends
};

// The axes that scales and sizes are for.
std::vector<int32_t> axesOf(NodeContext& context, int32_t rank) {
    std::vector<int64_t> all;
    for (int32_t axis = 0; axis < rank; ++axis) {
        all.push_back(axis);
    }
    return toAxes(context.attributes().integers("axes", all), rank);
}

void expectOneForEachAxis(NodeContext& context, Term numbers, size_t wanted, char const* what) {
    Dims const dims = numbers.dims();
    if (dims.nbDims != 1 || dims.d[0] != static_cast<int64_t>(wanted)) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text(what, ": expected ", wanted, " numbers, got ", dims, "."));
    }
}

void takeScales(NodeContext& context, Request& request, size_t index) {
    Value const& value = context.input(index);
    if (value.isConstant) {
        request.scales = floatsOf(value.constant, "scales");
        for (float const scale : request.scales) {
            if (!(scale > 0.0F) || !std::isfinite(scale)) {
                context.fail(ErrorCode::kINVALID_NODE,
                             text("scales: expected finite numbers above 0, got ", scale, "."));
            }
        }
    }
    request.givenScales = Term::input(context, index).cast(DataType::kFLOAT);
    expectOneForEachAxis(context, request.givenScales, request.axes.size(), "scales");
}

void takeSizes(NodeContext& context, Request& request, size_t index) {
    request.givenSizes = Term::input(context, index).cast(DataType::kINT64);
    expectOneForEachAxis(context, request.givenSizes, request.axes.size(), "sizes");
    if (context.isKnown(index)) {
        request.sizes = context.integers(index, "sizes", Dims::MAX_DIMS);
    }
}

// Whether each of the axes keeps its extent, as far as it is known here.
std::vector<bool> keptAxes(Request const& request) {
    std::vector<bool> kept;
    for (size_t i = 0; i < request.axes.size(); ++i) {
        bool const byScale = !request.scales.empty() && request.scales[i] == 1.0F;
        bool const bySize = !request.sizes.empty() && request.policy == Policy::kStretch &&
                            request.sizes[i] == request.input.d[request.axes[i]];
        kept.push_back(byScale || bySize);
    }
    return kept;
}

bool neverShrinks(Request const& request) {
    for (size_t i = 0; i < request.axes.size(); ++i) {
        int64_t const extent = request.input.d[request.axes[i]];
        bool const byScale = !request.scales.empty() && request.scales[i] >= 1.0F;
        bool const bySize = !request.sizes.empty() && extent >= 0 && request.sizes[i] >= extent;
        if (!byScale && !bySize) {
            return false;
        }
    }
    return true;
}

bool layerTakes(Request const& request) {
    Sampling const& sampling = request.sampling;
    bool const moves = sampling.mode == InterpolationMode::kNEAREST;
    bool const knownRule = sampling.rule <= CoordinateRule::kAsymmetric;
    bool const sharp = moves || !sampling.antialias || neverShrinks(request);
    bool const byScales = request.givenScales.exists();
    if (!knownRule || !sharp ||
        (byScales ? request.scales.empty() : request.policy != Policy::kStretch)) {
        return false;
    }
    int32_t const most = moves                                         ? Dims::MAX_DIMS
                         : sampling.mode == InterpolationMode::kLINEAR ? 3
                                                                       : 2;
    std::vector<bool> const kept = keptAxes(request);
    for (size_t i = 0; i < kept.size(); ++i) {
        bool const mayDiffer =
            byScales || (!request.sizes.empty() && request.input.d[request.axes[i]] >= 0);
        if (!kept[i] && mayDiffer && request.axes[i] < request.input.nbDims - most) {
            return false;
        }
    }
    return true;
}

void addLayer(NodeContext& context, Request const& request) {
    Sampling const& sampling = request.sampling;
    auto& layer = context.named(context.network().addResize(context.tensor(0)));
    layer.setResizeMode(sampling.mode);
    layer.setCoordinateTransformation(sampling.rule == CoordinateRule::kAlignCorners
                                          ? ResizeCoordinateTransformation::kALIGN_CORNERS
                                      : sampling.rule == CoordinateRule::kAsymmetric
                                          ? ResizeCoordinateTransformation::kASYMMETRIC
                                          : ResizeCoordinateTransformation::kHALF_PIXEL);
    layer.setSelectorForSinglePixel(sampling.rule == CoordinateRule::kPytorchHalfPixel
                                        ? ResizeSelector::kUPPER
                                        : ResizeSelector::kFORMULA);
    layer.setNearestRounding(sampling.rounding);
    layer.setCubicCoeff(static_cast<float>(sampling.cubic));
    layer.setExcludeOutside(sampling.excludesOutside);
    int32_t const rank = request.input.nbDims;
    if (!request.scales.empty()) {
        std::vector<float> scales(static_cast<size_t>(rank), 1.0F);
        for (size_t i = 0; i < request.axes.size(); ++i) {
            scales[static_cast<size_t>(request.axes[i])] = request.scales[i];
        }
        layer.setScales(scales.data(), rank);
    } else {
        // The extents of the input, with some replaced.
        Term const x = Term::input(context, 0);
        std::vector<Term> extents;
        bool inOrder = request.axes.size() == static_cast<size_t>(rank);
        for (int32_t axis = 0; axis < rank; ++axis) {
            auto const found = std::find(request.axes.begin(), request.axes.end(), axis);
            auto const place = found - request.axes.begin();
            inOrder = inOrder && place == axis;
            extents.push_back(found == request.axes.end() ? x.extent(axis)
                                                          : request.givenSizes.sliced(0, place, 1));
        }
        layer.setInput(1, (inOrder ? request.givenSizes : Term::joined(extents, 0)).tensor());
    }
    context.setOutput(layer);
}

// One scale for all axes, as a quotient of integers: of the axis with the smallest or largest one.
struct Ratio {
    Term size;
    Term extent;
};

Ratio sharedRatio(Term x, Request const& request) {
    Ratio best;
    for (size_t i = 0; i < request.axes.size(); ++i) {
        Ratio const own{request.givenSizes.sliced(0, static_cast<int64_t>(i), 1),
                        x.extent(request.axes[i])};
        if (i == 0) {
            best = own;
            continue;
        }
        Term const mine = own.size * best.extent;
        Term const others = best.size * own.extent;
        Term const better = request.policy == Policy::kNotLarger ? mine < others : mine > others;
        best = {better.choose(own.size, best.size), better.choose(own.extent, best.extent)};
    }
    return best;
}

void addParts(NodeContext& context, Request const& request) {
    Term const x = Term::input(context, 0);
    bool const crops = request.sampling.rule == CoordinateRule::kCropAndResize;
    bool const shares = !request.givenScales.exists() && request.policy != Policy::kStretch;
    Ratio const shared = shares ? sharedRatio(x, request) : Ratio{};
    std::vector<bool> const kept = keptAxes(request);
    auto const count = static_cast<int64_t>(kept.size());
    std::vector<ResizedAxis> axes;
    for (int64_t i = 0; i < count; ++i) {
        auto const at = static_cast<size_t>(i);
        if (kept[at] && !crops) {
            continue;
        }
        ResizedAxis axis{};
        axis.axis = request.axes[at];
        Term const extent = x.extent(axis.axis);
        if (request.givenScales.exists()) {
            axis.divisor = request.givenScales.sliced(0, i, 1);
            axis.length = extent.cast(DataType::kFLOAT) * axis.divisor;
            axis.output = axis.length.floor().cast(DataType::kINT64);
            if (!request.scales.empty()) {
                axis.scale = request.scales[at];
            }
        } else {
            Term const size = shares ? shared.size : request.givenSizes.sliced(0, i, 1);
            Term const from = shares ? shared.extent : extent;
            axis.divisor = size.cast(DataType::kFLOAT);
            axis.numerator = from.cast(DataType::kFLOAT);
            // Halves are rounded up.
            axis.output = shares ? (size * extent * 2.0 + from).floorDiv(from * 2.0) : size;
            axis.length = shares ? extent.cast(DataType::kFLOAT) * axis.divisor / axis.numerator
                                 : axis.divisor;
        }
        if (request.sampling.rule == CoordinateRule::kAlignCorners) {
            // Corners of whole outputs, as torch, ONNX Runtime and the layer have them; the data
            // of two node cases have those of the extent before it is rounded.
            axis.length = axis.output.cast(DataType::kFLOAT);
        }
        if (crops) {
            axis.begin = request.crop.sliced(0, i, 1);
            axis.end = request.crop.sliced(0, count + i, 1);
        }
        axes.push_back(axis);
    }
    context.setOutput(0, resizedByParts(x, axes, request.sampling).value());
}

void add(NodeContext& context, Request const& request) {
    if (layerTakes(request)) {
        addLayer(context, request);
    } else {
        addParts(context, request);
    }
}

bool isGiven(NodeContext& context, size_t index) {
    if (!context.hasInput(index)) {
        return false;
    }
    Dims const dims = context.dims(context.input(index));
    return dims.nbDims != 1 || dims.d[0] != 0;
}

void importResize(NodeContext& context) {
    bool const old = context.opset() < 11; // scales are input 1
    size_t const scales = old ? 1 : 2;
    constexpr size_t kCrop = 1;
    constexpr size_t kSizes = 3;
    auto& attributes = context.attributes();
    Request request{};
    request.input = context.dims(context.input(0));
    request.axes = axesOf(context, request.input.nbDims);
    request.sampling.mode = chosen(context, "mode", "nearest", kModes);
    request.sampling.rule = chosen(context, "coordinate_transformation_mode",
                                   old ? "asymmetric" : "half_pixel", kRules);
    request.sampling.rounding =
        chosen(context, "nearest_mode", old ? "floor" : "round_prefer_floor", kRoundings);
    request.sampling.cubic = attributes.real("cubic_coeff_a", -0.75F);
    request.sampling.excludesOutside = attributes.flag("exclude_outside", false);
    request.sampling.antialias = attributes.flag("antialias", false);
    request.sampling.extrapolation = attributes.real("extrapolation_value", 0.0F);
    request.policy = chosen(context, "keep_aspect_ratio_policy", "stretch", kPolicies);
    if (request.sampling.rule == CoordinateRule::kCropAndResize) {
        request.crop = Term::input(context, kCrop).cast(DataType::kFLOAT);
        expectOneForEachAxis(context, request.crop, request.axes.size() * 2, "roi");
    }
    if (isGiven(context, scales)) {
        takeScales(context, request, scales);
    } else {
        takeSizes(context, request, kSizes);
    }
    add(context, request);
}

void importUpsample(NodeContext& context) {
    if (context.opset() < 9) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected operator set 9 or later, got ", context.opset(), "."));
    }
    Request request{};
    request.input = context.dims(context.input(0));
    request.axes = axesOf(context, request.input.nbDims);
    request.sampling.mode = chosen(context, "mode", "nearest", kModes);
    request.sampling.rule = CoordinateRule::kAsymmetric;
    request.sampling.rounding = ResizeRoundMode::kFLOOR;
    takeScales(context, request, 1);
    add(context, request);
}

} // namespace

void registerImporter_resize(ImporterRegistry& registry) {
    registry.add("Resize", importResize);
    registry.add("Upsample", importUpsample);
}

} // namespace kiln::onnx
