// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CumSum: running sums along an axis, input 1. If the axis is computed, the sums along each axis
// are, and those wanted are selected.
// Layer: cumulative, and select for a computed axis.

#include "onnx/computed_axes.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"

#include <kiln/known_values.h>

namespace kiln::onnx {

namespace {

// A short vector of numbers that may decide extents keeps that: its running sums are sums of
// elements, as torch.repeat_interleave needs them.
bool importShapeSums(NodeContext& context) {
    if (NodeContext::typeOf(context.input(0)) != nvinfer1::DataType::kINT64) {
        return false;
    }
    nvinfer1::Dims const dims = context.dims(context.input(0));
    if (dims.nbDims != 1 || dims.d[0] < 1 || dims.d[0] > kMostFolded || !context.isKnown(1) ||
        !kiln::hasShapeValues(context.tensor(0))) {
        return false;
    }
    bool const exclusive = context.attributes().flag("exclusive", false);
    bool const reverse = context.attributes().flag("reverse", false);
    Term const x = Term::input(context, 0);
    std::vector<Term> sums;
    Term sum = Term::vector(context, {0});
    for (int64_t i = 0; i < dims.d[0]; ++i) {
        Term const next = sum + x.sliced(0, reverse ? dims.d[0] - 1 - i : i, 1);
        sums.insert(reverse ? sums.begin() : sums.end(), exclusive ? sum : next);
        sum = next;
    }
    context.setOutput(0, Term::joined(sums, 0).value());
    return true;
}

void importCumSum(NodeContext& context) {
    if (importShapeSums(context)) {
        return;
    }
    auto& attributes = context.attributes();
    bool const exclusive = attributes.flag("exclusive", false);
    bool const reverse = attributes.flag("reverse", false);
    if (!context.isKnown(1)) {
        auto const sums = [&](Term x, int32_t axis) {
            return x.runningSum(axis, exclusive, reverse);
        };
        context.setOutput(0, atComputedAxis(context, 1, Term::input(context, 0), sums).value());
        return;
    }
    context.setOutput(context.named(
        context.network().addCumulative(context.tensor(0), context.tensor(1),
                                        nvinfer1::CumulativeOperation::kSUM, exclusive, reverse)));
}

} // namespace

void registerImporter_cumulative(ImporterRegistry& registry) {
    registry.add("CumSum", importCumSum);
}

} // namespace kiln::onnx
