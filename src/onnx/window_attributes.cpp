// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/window_attributes.h"

#include "onnx/checked_numbers.h"

#include <algorithm>
#include <vector>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::PaddingMode;

namespace {

// The network refuses larger windows and distances. Up to this limit, sums and products of window
// arithmetic stay far inside 64 bits.
constexpr int64_t kLargest = int64_t{1} << 31;

// The attribute as Dims; every entry at least `lowest`.
Dims readDims(NodeContext& context, char const* name, int32_t count, int64_t lowest,
              std::vector<int64_t> otherwise) {
    auto const values = context.attributes().integers(name, std::move(otherwise));
    bool const valid = values.size() == static_cast<size_t>(count) &&
                       std::all_of(values.begin(), values.end(),
                                   [&](int64_t v) { return v >= lowest && v <= kLargest; });
    if (!valid) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute '", name, "': expected ", count, " values from ", lowest,
                          " to ", kLargest, ", got ", values, "."));
    }
    return toDims(values, name);
}

PaddingMode readAutoPad(NodeContext& context, bool& usesPads) {
    std::string const autoPad = context.attributes().string("auto_pad", "NOTSET");
    usesPads = autoPad == "NOTSET";
    if (autoPad == "SAME_UPPER") {
        return PaddingMode::kSAME_UPPER;
    }
    if (autoPad == "SAME_LOWER") {
        return PaddingMode::kSAME_LOWER;
    }
    if (autoPad != "NOTSET" && autoPad != "VALID") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'auto_pad': expected NOTSET, VALID, SAME_UPPER or SAME_LOWER, ",
                 "got '", autoPad, "'."));
    }
    return PaddingMode::kEXPLICIT_ROUND_DOWN;
}

} // namespace

int32_t spatialRankOf(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    if (dims.nbDims < 3 || dims.nbDims > 5) {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_SHAPE,
            text("input 0: expected [batch, channels] and 1 to 3 spatial axes, got ", dims, "."));
    }
    return dims.nbDims - 2;
}

Windows readWindows(NodeContext& context, int32_t spatialRank, Dims const* extents) {
    auto const count = static_cast<size_t>(spatialRank);
    std::vector<int64_t> const ones(count, 1);
    Windows windows{};
    std::vector<int64_t> const known =
        extents != nullptr ? std::vector<int64_t>(extents->d, extents->d + spatialRank)
                           : std::vector<int64_t>{};
    windows.extents = readDims(context, "kernel_shape", spatialRank, 1, known);
    if (extents != nullptr && !std::equal(known.begin(), known.end(), windows.extents.d)) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'kernel_shape': expected ", known, " as in the weights, got ",
                          windows.extents, "."));
    }
    windows.strides = readDims(context, "strides", spatialRank, 1, ones);
    windows.dilations = readDims(context, "dilations", spatialRank, 1, ones);
    bool usesPads = true;
    windows.mode = readAutoPad(context, usesPads);
    Dims const pads =
        readDims(context, "pads", spatialRank * 2, 0, std::vector<int64_t>(count * 2, 0));
    windows.before = windows.after = repeatedDims(spatialRank, 0, "pads");
    if (usesPads) {
        std::copy_n(pads.d, spatialRank, windows.before.d);
        std::copy_n(pads.d + spatialRank, spatialRank, windows.after.d);
    }
    return windows;
}

namespace {

struct Axis {
    int64_t input;
    int64_t window;
    int64_t stride;
    int64_t before;
    int64_t after;

    int64_t count(bool roundUp, int64_t padding) const {
        int64_t const slack = input + before + padding - window;
        return (slack + (roundUp ? stride - 1 : 0)) / stride + 1;
    }
    // Windows that ONNX counts: rounded up, without one that starts behind input and padding.
    int64_t wanted() const {
        int64_t const rounded = count(true, after);
        return (rounded - 1) * stride >= input + before ? rounded - 1 : rounded;
    }
    // Padding after the input up to the end of the last wanted window, at most the given padding.
    int64_t trimmed() const {
        return std::clamp<int64_t>((wanted() - 1) * stride + window - input - before, 0, after);
    }
};

// Whether the mode gives the wanted number of windows on each axis. If so, sets mode and padding.
bool tryMode(std::vector<Axis> const& axes, bool roundUp, Windows& windows) {
    Dims after = windows.after;
    for (size_t i = 0; i < axes.size(); ++i) {
        bool const exact = axes[i].count(roundUp, axes[i].after) == axes[i].wanted();
        after.d[i] = exact ? axes[i].after : axes[i].trimmed();
        if (axes[i].count(roundUp, after.d[i]) != axes[i].wanted()) {
            return false;
        }
    }
    windows.after = after;
    windows.mode = roundUp ? PaddingMode::kEXPLICIT_ROUND_UP : PaddingMode::kEXPLICIT_ROUND_DOWN;
    return true;
}

} // namespace

bool roundUpWindows(NodeContext& context, Windows& windows) {
    Dims const dims = context.dims(context.input(0));
    std::vector<Axis> axes;
    for (int32_t i = 0; i < windows.extents.nbDims; ++i) {
        Axis const axis{dims.d[i + 2], windows.extents.d[i], windows.strides.d[i],
                        windows.before.d[i], windows.after.d[i]};
        // With these extents, no window can start in the padding, for any input.
        bool const alwaysFits = axis.after + axis.stride <= axis.window;
        if (axis.input < 0 && !alwaysFits) {
            return false;
        }
        if (axis.input > kFarthest) {
            context.fail(
                ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                text("ceil_mode: expected extents of ", kFarthest, " at most, got ", dims, "."));
        }
        if (axis.input >= 0) {
            axes.push_back(axis);
        }
    }
    bool const allKnown = axes.size() == static_cast<size_t>(windows.extents.nbDims);
    if (!allKnown) {
        windows.mode = PaddingMode::kEXPLICIT_ROUND_UP;
        return true;
    }
    return tryMode(axes, true, windows) || tryMode(axes, false, windows);
}

} // namespace kiln::onnx
