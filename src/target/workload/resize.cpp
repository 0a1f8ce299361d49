// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/resize.h"

#include <algorithm>
#include <cmath>

#include "base/tensor_layout.h"

namespace kiln::target {
namespace {

using nvinfer1::InterpolationMode;
using nvinfer1::ResizeCoordinateTransformation;
using nvinfer1::ResizeRoundMode;
using nvinfer1::ResizeSelector;
using Axis = ResizeWorkload::Axis;

/// The axes in memory order.
std::vector<int32_t> orderOf(TensorFormat format, int32_t rank) {
    std::vector<int32_t> order;
    auto const traits = traitsOf(format);
    int32_t const channels =
        traits && traits->channelsFromEnd > 0 ? rank - traits->channelsFromEnd : rank;
    for (int32_t axis = 0; axis < rank; ++axis) {
        if (axis != channels) {
            order.push_back(axis);
        }
    }
    if (channels < rank) {
        order.push_back(channels);
    }
    return order;
}

/// The input coordinate of an output position. With the extents alone, products and quotients are
/// exact where the result is a whole number; with scales, float32 gives the numbers that others
/// have.
double coordinateOf(graph::Resize const& op, Axis const& axis, int64_t position) {
    if (axis.output == 1 && op.selector == ResizeSelector::kUPPER) {
        return 0.0;
    }
    auto const x = static_cast<double>(position);
    auto const input = static_cast<double>(axis.input);
    auto const output = static_cast<double>(axis.output);
    if (op.transformation == ResizeCoordinateTransformation::kALIGN_CORNERS) {
        return axis.output == 1 ? 0.0 : x * (input - 1.0) / (output - 1.0);
    }
    double const shift =
        op.transformation == ResizeCoordinateTransformation::kHALF_PIXEL ? 0.5 : 0.0;
    if (axis.scale == 0.0F) {
        return (x + shift) * input / output - shift;
    }
    return static_cast<double>(static_cast<float>(x + shift) / axis.scale -
                               static_cast<float>(shift));
}

double rounded(ResizeRoundMode mode, double x) {
    switch (mode) {
    case ResizeRoundMode::kHALF_UP: return std::floor(x + 0.5);
    case ResizeRoundMode::kHALF_DOWN: return std::ceil(x - 0.5);
    case ResizeRoundMode::kFLOOR: return std::floor(x);
    case ResizeRoundMode::kCEIL: break;
    }
    return std::ceil(x);
}

/// Weights of the samples at distances 1 + t, t, 1 - t and 2 - t (Keys 1981, with a = `a`).
void cubicWeights(float a, float t, float (&weight)[4]) {
    auto const near = [a](float x) { return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F; };
    auto const far = [a](float x) { return ((a * x - 5.0F * a) * x + 8.0F * a) * x - 4.0F * a; };
    weight[0] = far(t + 1.0F);
    weight[1] = near(t);
    weight[2] = near(1.0F - t);
    weight[3] = far(2.0F - t);
}

} // namespace

ResizeWorkload resizeWorkload(graph::Resize const& op, Dims const& input, Dims const& output,
                              TensorFormat format) {
    ResizeWorkload result;
    bool const aligned = op.transformation == ResizeCoordinateTransformation::kALIGN_CORNERS;
    for (int32_t const place : orderOf(format, input.nbDims)) {
        Axis axis;
        axis.input = input.d[place];
        axis.output = output.d[place];
        float const scale =
            op.scaleCount > place ? op.scales[static_cast<std::size_t>(place)] : 0.0F;
        axis.keeps = axis.input == axis.output && (scale == 0.0F || scale == 1.0F || aligned);
        axis.scale = scale == 1.0F && axis.keeps ? 0.0F : scale;
        axis.taps = axis.keeps ? 1 : op.taps();
        int64_t& kept = result.axes.empty() ? result.outer : result.inner;
        if (axis.keeps) {
            kept *= axis.input;
            continue;
        }
        if (result.inner != 1) { // unchanged axes between two that change
            Axis between;
            between.input = between.output = result.inner;
            between.keeps = true;
            result.axes.push_back(between);
            result.inner = 1;
        }
        result.axes.push_back(axis);
    }
    return result;
}

ResizeTaps resizeTaps(graph::Resize const& op, Axis const& axis, int64_t position) {
    ResizeTaps taps;
    taps.count = axis.taps;
    if (axis.keeps) {
        taps.at[0] = position;
        return taps;
    }
    double const x = coordinateOf(op, axis, position);
    auto const last = static_cast<double>(axis.input - 1);
    auto const inside = [&](double at) { return static_cast<int64_t>(std::clamp(at, 0.0, last)); };
    if (op.mode == InterpolationMode::kNEAREST) {
        taps.at[0] = inside(rounded(op.rounding, x));
        return taps;
    }
    double const low = std::floor(x);
    auto const part = static_cast<float>(x - low);
    if (op.mode == InterpolationMode::kLINEAR) {
        taps.at[0] = inside(low);
        taps.at[1] = inside(low + 1.0);
        taps.weight[0] = 1.0F - part;
        taps.weight[1] = part;
        return taps;
    }
    cubicWeights(op.cubic, part, taps.weight);
    float sum = 0.0F;
    for (int32_t i = 0; i < 4; ++i) {
        double const at = low - 1.0 + i;
        taps.at[i] = inside(at);
        if (op.excludesOutside && (at < 0.0 || at > last)) {
            taps.weight[i] = 0.0F;
        }
        sum += taps.weight[i];
    }
    if (op.excludesOutside) {
        for (float& weight : taps.weight) {
            weight /= sum;
        }
    }
    return taps;
}

} // namespace kiln::target
