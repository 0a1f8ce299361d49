// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Squeeze and Unsqueeze: axes are an attribute up to opset 12, an input from opset 13.
// Layer: shuffle. The number of computed axes is known; without axes, unknown extents stay.

#include "onnx/computed_axes.h"
#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

namespace {

std::vector<int64_t> axesOf(NodeContext& context) {
    if (context.opset() >= 13) {
        return context.hasInput(1) ? context.integers(1, "axes", nvinfer1::Dims::MAX_DIMS)
                                   : std::vector<int64_t>{};
    }
    return context.attributes().integers("axes", {});
}

// Whether axes are known only at run time. Without any, Squeeze removes all extents of 1.
bool areComputed(NodeContext& context) {
    return context.opset() >= 13 && context.hasInput(1) && !context.isKnown(1);
}

void importUnsqueeze(NodeContext& context) {
    if (areComputed(context)) {
        Term const x = Term::input(context, 0);
        int64_t const count = vectorInput(context, 1).dims().d[0];
        int32_t const rank = toRank(x.rank() + count, "output");
        context.setOutput(0, withAxes(x, ComputedAxes(context, 1, rank)).value());
        return;
    }
    auto const axes = axesOf(context);
    auto const added = static_cast<int64_t>(axes.size());
    int32_t const rank = toRank(context.dims(context.input(0)).nbDims + added, "output");
    context.setOutput(0, insertAxes(context, context.input(0), toSortedAxes(axes, rank)));
}

// com.microsoft: one axis, a scalar.
void importExpandDims(NodeContext& context) {
    auto const axis = context.integers(1, "axis", 1);
    int32_t const rank = toRank(context.dims(context.input(0)).nbDims + 1, "output");
    context.setOutput(0, insertAxes(context, context.input(0), toSortedAxes(axis, rank)));
}

// Without axes, all extents of 1 are removed. Exporters that write it mean those that they know.
std::vector<int32_t> unitAxes(NodeContext const& context, nvinfer1::Dims const& dims) {
    std::vector<int32_t> axes;
    bool hasUnknown = false;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        hasUnknown = hasUnknown || dims.d[i] < 0;
        if (dims.d[i] == 1) {
            axes.push_back(i);
        }
    }
    if (hasUnknown) {
        context.log()(nvinfer1::ILogger::Severity::kWARNING, "node '", context.layerName(),
                      "' (Squeeze) has no axes: unknown extents of ", dims,
                      " stay, also where they are 1.");
    }
    return axes;
}

void importSqueeze(NodeContext& context) {
    if (areComputed(context)) {
        Term const x = Term::input(context, 0);
        context.setOutput(0, withoutAxes(x, ComputedAxes(context, 1, x.rank())).value());
        return;
    }
    auto const axes = axesOf(context);
    nvinfer1::Dims const dims = context.dims(context.input(0));
    auto const removed = axes.empty() ? unitAxes(context, dims) : toSortedAxes(axes, dims.nbDims);
    context.setOutput(0, removeAxes(context, context.input(0), removed));
}

} // namespace

void registerImporter_squeeze(ImporterRegistry& registry) {
    registry.add("Squeeze", importSqueeze);
    registry.add("Unsqueeze", importUnsqueeze);
    registry.add("com.microsoft", "ExpandDims", importExpandDims);
}

} // namespace kiln::onnx
