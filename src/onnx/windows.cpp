// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/windows.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::PaddingMode;

namespace {

// The attribute as Dims; every entry at least `lowest`.
Dims readDims(NodeContext& context, char const* name, int32_t count, int64_t lowest,
              std::vector<int64_t> otherwise) {
    auto const values = context.attributes().integers(name, std::move(otherwise));
    bool const valid =
        values.size() == static_cast<size_t>(count) &&
        std::all_of(values.begin(), values.end(), [&](int64_t v) { return v >= lowest; });
    if (!valid) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute '", name, "': expected ", count, " values of ", lowest,
                          " or more, got ", values, "."));
    }
    Dims dims{count, {}};
    std::copy(values.begin(), values.end(), dims.d);
    return dims;
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
    if (dims.nbDims != 4 && dims.nbDims != 5) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 0: expected [batch, channels, height, width] or one more spatial ",
                          "axis, got ", dims, "."));
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
    windows.before = windows.after = Dims{spatialRank, {}};
    if (usesPads) {
        std::copy_n(pads.d, spatialRank, windows.before.d);
        std::copy_n(pads.d + spatialRank, spatialRank, windows.after.d);
    }
    return windows;
}

} // namespace kiln::onnx
