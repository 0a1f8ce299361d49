// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// GridSample of images; of other ranks by gathering the samples of each corner.
// Layer: grid sample; gather and elementwise for other ranks than 4.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
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

// The samples of all positions along one axis: extents [batch, positions].
struct Tap {
    Term at; // INT64, inside of the image
    Term weight;
    Term inside; // BOOL
};

class GridAxis {
public:
    GridAxis(Term extent, SampleMode mode, bool aligned)
        : extent_(extent), mode_(mode), aligned_(aligned) {}

    std::vector<Tap> taps(Term coordinate, InterpolationMode interpolation) const {
        Term const last = extent_ - 1.0;
        Term const x =
            aligned_ ? (coordinate + 1.0) / 2.0 * last : ((coordinate + 1.0) * extent_ - 1.0) / 2.0;
        if (interpolation == InterpolationMode::kNEAREST) {
            return {tap(inside(x).round(), x.like(1.0))};
        }
        if (interpolation == InterpolationMode::kLINEAR) {
            Term const within = inside(x);
            Term const low = within.floor();
            Term const part = within - low;
            return {tap(low, 1.0 - part), tap(low + 1.0, part)};
        }
        Term const low = x.floor();
        Term const part = x - low;
        return {tap(inside(low - 1.0), far(part + 1.0)), tap(inside(low), near(part)),
                tap(inside(low + 1.0), near(1.0 - part)), tap(inside(low + 2.0), far(2.0 - part))};
    }

private:
    static constexpr double kCubic = -0.75;
    static Term near(Term x) { return ((x * (kCubic + 2.0) - (kCubic + 3.0)) * x * x) + 1.0; }
    static Term far(Term x) {
        return ((x * kCubic - 5.0 * kCubic) * x + 8.0 * kCubic) * x - 4.0 * kCubic;
    }

    // The coordinate where the sample mode puts it.
    Term inside(Term x) const {
        if (mode_ == SampleMode::kFILL) {
            return x;
        }
        Term const last = extent_ - 1.0;
        if (mode_ == SampleMode::kREFLECT) {
            x = aligned_ ? reflected(x, 0.0, last.max(1.0)) : reflected(x, -0.5, extent_);
        }
        return x.max(0.0).min(last);
    }

    // Mirrors at `low` and at low + span.
    static Term reflected(Term x, double low, Term span) {
        Term const distance = (x - low).abs();
        Term const turns = (distance / span).floor();
        Term const rest = distance - turns * span;
        Term const even = turns - (turns / 2.0).floor() * 2.0 == 0.0;
        return even.choose(rest, span - rest) + low;
    }

    Tap tap(Term at, Term weight) const {
        Term const last = extent_ - 1.0;
        return {at.max(0.0).min(last).cast(DataType::kINT64), weight, at >= 0.0 && at <= last};
    }

    Term extent_; // FLOAT, of one element
    SampleMode mode_;
    bool aligned_;
};

// image: [batch, channels, spatial...], grid: [batch, spatial'..., coordinates]
void importParts(NodeContext& context, InterpolationMode interpolation, SampleMode mode,
                 bool aligned) {
    Term const image = Term::input(context, 0);
    Term const grid = Term::input(context, 1);
    int32_t const spatial = image.rank() - 2;
    if (spatial < 1 || grid.rank() != image.rank()) {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_SHAPE,
            text("expected [batch, channels, spatial...] and a grid of the same rank, got ",
                 image.dims(), " and ", grid.dims(), "."));
    }
    Term const batch = image.extent(0);
    Axes const axes = axesBetween(2, image.rank());
    Term const positions = grid.extents(axesBetween(1, spatial + 1));
    Term const flat =
        image.reshaped(Term::joined({image.extents({0, 1}), image.extents(axes).product({0})}, 0));
    Term const points =
        grid.cast(DataType::kFLOAT)
            .reshaped(
                Term::joined({batch, positions.product({0}), Term::vector(context, {spatial})}, 0));
    // Products of the taps of all axes; the coordinate of the last axis comes first.
    std::vector<Tap> corners;
    for (int32_t i = 0; i < spatial; ++i) {
        Term const extent = image.extent(2 + i);
        Term const coordinate = points.sliced(2, spatial - 1 - i, 1).removed({2});
        GridAxis const axis(extent.cast(DataType::kFLOAT), mode, aligned);
        std::vector<Tap> const taps = axis.taps(coordinate, interpolation);
        std::vector<Tap> next;
        for (Tap const& corner : corners.empty() ? std::vector<Tap>(1) : corners) {
            for (Tap const& tap : taps) {
                next.push_back(!corner.at.exists()
                                   ? tap
                                   : Tap{corner.at * extent + tap.at, corner.weight * tap.weight,
                                         corner.inside && tap.inside});
            }
        }
        corners = std::move(next);
    }
    Term sum;
    for (Tap const& corner : corners) {
        auto* layer = context.network().addGather(flat.tensor(), corner.at.tensor(), 2);
        Term const samples = image.of(layer).cast(DataType::kFLOAT);
        layer->setNbElementWiseDims(1);
        // What stands for a sample outside may be infinite.
        Term const part = corner.inside.inserted({1}).choose(samples, samples.like(0.0)) *
                          corner.weight.withRank(2).inserted({1});
        sum = sum.exists() ? sum + part : part;
    }
    Term const shape = Term::joined({image.extents({0, 1}), positions}, 0);
    context.setOutput(0, sum.cast(image.type()).reshaped(shape).value());
}

void importGridSample(NodeContext& context) {
    InterpolationMode const interpolation = interpolationOf(context);
    SampleMode const mode = sampleModeOf(context);
    bool const aligned = context.attributes().flag("align_corners", false);
    constexpr int32_t kLayerRank = 4;
    Term const image = Term::input(context, 0);
    if (image.rank() != kLayerRank || !isReal(image.type())) {
        importParts(context, interpolation, mode, aligned);
        return;
    }
    auto& layer =
        context.named(context.network().addGridSample(context.tensor(0), context.tensor(1)));
    layer.setInterpolationMode(interpolation);
    layer.setSampleMode(mode);
    layer.setAlignCorners(aligned);
    context.setOutput(layer);
}

} // namespace

void registerImporter_grid_sample(ImporterRegistry& registry) {
    registry.add("GridSample", importGridSample);
    registry.add("com.microsoft", "GridSample", importGridSample);
}

} // namespace kiln::onnx
