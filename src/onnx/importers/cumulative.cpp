// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CumSum: running sums along an axis, input 1. If the axis is computed, the sums along each axis
// are, and those wanted are selected.
// Layer: cumulative, and select for a computed axis.

#include "onnx/computed_axes.h"
#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

void importCumSum(NodeContext& context) {
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
