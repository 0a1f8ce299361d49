// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CumSum: running sums along an axis, input 1.
// Layer: cumulative. The axis is a constant.

#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

void importCumSum(NodeContext& context) {
    auto& attributes = context.attributes();
    bool const exclusive = attributes.flag("exclusive", false);
    bool const reverse = attributes.flag("reverse", false);
    context.setOutput(context.named(
        context.network().addCumulative(context.tensor(0), context.tensor(1),
                                        nvinfer1::CumulativeOperation::kSUM, exclusive, reverse)));
}

} // namespace

void registerImporter_cumulative(ImporterRegistry& registry) {
    registry.add("CumSum", importCumSum);
}

} // namespace kiln::onnx
