// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// MaxPool, AveragePool and their global forms over one to three spatial axes.
// Layer: pooling. 1-D to 3-D, not dilated; global pooling needs known extents.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/window_attributes.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::PaddingMode;
using nvinfer1::PoolingType;

namespace {

nvinfer1::IPoolingLayer& addPooling(NodeContext& context, PoolingType type) {
    Windows windows = readWindows(context, spatialRankOf(context), nullptr);
    Dims const& dilations = windows.dilations;
    if (std::count(dilations.d, dilations.d + dilations.nbDims, 1) != dilations.nbDims) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'dilations': expected ones, got ", dilations, "."));
    }
    bool const roundUp = context.attributes().flag("ceil_mode", false);
    if (roundUp && windows.mode == PaddingMode::kEXPLICIT_ROUND_DOWN) {
        roundUpWindows(context, windows);
    }
    auto& layer =
        context.named(context.network().addPoolingNd(context.tensor(0), type, windows.extents));
    applyWindows(layer, windows);
    context.setOutput(layer);
    return layer;
}

void importMaxPool(NodeContext& context) {
    if (context.attributes().integer("storage_order", 0) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'storage_order': expected 0 (row major), got another value.");
    }
    if (context.node().outputs.size() > 1 && !context.node().outputs[1].empty()) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     "expected one output, got two: the indices of the largest are not supported.");
    }
    addPooling(context, PoolingType::kMAX);
}

void importAveragePool(NodeContext& context) {
    bool const countPadding = context.attributes().flag("count_include_pad", false);
    addPooling(context, PoolingType::kAVERAGE).setAverageCountExcludesPadding(!countPadding);
}

// One window over all of the spatial axes.
template <PoolingType kType>
void importGlobalPool(NodeContext& context) {
    int32_t const spatialRank = spatialRankOf(context);
    Dims const dims = context.dims(context.input(0));
    Dims const window = toDims({dims.d + 2, static_cast<size_t>(spatialRank)}, "input 0");
    if (std::any_of(window.d, window.d + spatialRank, [](int64_t extent) { return extent < 1; })) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                     text("expected known spatial extents of 1 or more, got ", dims, "."));
    }
    context.setOutput(
        context.named(context.network().addPoolingNd(context.tensor(0), kType, window)));
}

} // namespace

void registerImporter_pooling(ImporterRegistry& registry) {
    registry.add("MaxPool", importMaxPool);
    registry.add("AveragePool", importAveragePool);
    registry.add("GlobalMaxPool", importGlobalPool<PoolingType::kMAX>);
    registry.add("GlobalAveragePool", importGlobalPool<PoolingType::kAVERAGE>);
}

} // namespace kiln::onnx
