// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// MaxPool, AveragePool and their global forms. Windows that the layer does not have (dilated, with
// indices, more padding than elements) are gathered axis by axis.
// Layer: pooling; gather and reduce for other windows. 1-D to 3-D, but for global pooling.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/window_parts.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::PaddingMode;
using nvinfer1::PoolingType;

namespace {

// The type that windows are computed in: the layer has no integers, and sums of narrow types
// would be rounded once for each axis.
Term computed(Term x, bool byLayer) {
    return byLayer && isReal(x.type()) ? x : x.cast(DataType::kFLOAT);
}

struct Pooling {
    Windows windows;
    bool roundUp;
    bool byLayer;
    Windows ofLayer; // the same windows in a mode of the layer
};

Pooling poolingOf(NodeContext& context) {
    Pooling pooling{};
    Windows& windows = pooling.windows;
    windows = readWindows(context, spatialRankOf(context), nullptr);
    pooling.roundUp = context.attributes().flag("ceil_mode", false) &&
                      windows.mode == PaddingMode::kEXPLICIT_ROUND_DOWN;
    pooling.byLayer = true;
    for (int32_t i = 0; i < windows.extents.nbDims; ++i) {
        pooling.byLayer = pooling.byLayer && windows.dilations.d[i] == 1 &&
                          windows.before.d[i] < windows.extents.d[i] &&
                          windows.after.d[i] < windows.extents.d[i];
    }
    pooling.ofLayer = windows;
    if (pooling.byLayer && pooling.roundUp) {
        pooling.byLayer = roundUpWindows(context, pooling.ofLayer);
    }
    return pooling;
}

nvinfer1::IPoolingLayer& addLayer(NodeContext& context, Pooling const& pooling, PoolingType type) {
    Term const x = Term::input(context, 0);
    auto& layer = context.named(
        context.network().addPoolingNd(computed(x, true).tensor(), type, pooling.ofLayer.extents));
    applyWindows(layer, pooling.ofLayer);
    context.setOutput(0, Term(context, *layer.getOutput(0)).cast(x.type()).value());
    return layer;
}

void importMaxPool(NodeContext& context) {
    int64_t const order = context.attributes().integer("storage_order", 0);
    if (order != 0 && order != 1) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'storage_order': expected 0 or 1, got ", order, "."));
    }
    auto const& outputs = context.node().outputs;
    bool const wantsIndices = outputs.size() > 1 && !outputs[1].empty();
    Pooling const pooling = poolingOf(context);
    if (pooling.byLayer) {
        addLayer(context, pooling, PoolingType::kMAX);
    }
    if (pooling.byLayer && !wantsIndices) {
        return;
    }
    Term const x = Term::input(context, 0);
    WindowParts const parts(computed(x, false), pooling.windows, pooling.roundUp);
    if (!pooling.byLayer) {
        context.setOutput(0, parts.largest().cast(x.type()).value());
    }
    if (wantsIndices) {
        context.setOutput(1, parts.indices(order == 1).value());
    }
}

void importAveragePool(NodeContext& context) {
    bool const countsPadding = context.attributes().flag("count_include_pad", false);
    Pooling const pooling = poolingOf(context);
    if (pooling.byLayer) {
        addLayer(context, pooling, PoolingType::kAVERAGE)
            .setAverageCountExcludesPadding(!countsPadding);
        return;
    }
    Term const x = Term::input(context, 0);
    WindowParts const parts(computed(x, false), pooling.windows, pooling.roundUp);
    Term const count = parts.count(countsPadding).max(1.0).cast(DataType::kFLOAT);
    context.setOutput(0, (parts.sum() / count).cast(x.type()).value());
}

// One window over all of the spatial axes; a reduction where the layer does not have it.
template <PoolingType kType>
void importGlobalPool(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    if (dims.nbDims < 3) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 0: expected [batch, channels, spatial...], got ", dims, "."));
    }
    Dims const window = toDims({dims.d + 2, static_cast<size_t>(dims.nbDims - 2)}, "input 0");
    bool const known =
        std::all_of(window.d, window.d + window.nbDims, [](int64_t extent) { return extent > 0; });
    if (known && window.nbDims <= 3) {
        context.setOutput(
            context.named(context.network().addPoolingNd(context.tensor(0), kType, window)));
        return;
    }
    Term const x = Term::input(context, 0);
    Axes const spatial = axesBetween(2, dims.nbDims);
    context.setOutput(0,
                      (kType == PoolingType::kMAX ? x.largest(spatial) : x.mean(spatial)).value());
}

} // namespace

void registerImporter_pooling(ImporterRegistry& registry) {
    registry.add("MaxPool", importMaxPool);
    registry.add("AveragePool", importAveragePool);
    registry.add("GlobalMaxPool", importGlobalPool<PoolingType::kMAX>);
    registry.add("GlobalAveragePool", importGlobalPool<PoolingType::kAVERAGE>);
}

} // namespace kiln::onnx
