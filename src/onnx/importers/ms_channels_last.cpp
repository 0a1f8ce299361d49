// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// NhwcFusedConv and NhwcMaxPool of com.microsoft: FusedConv and MaxPool with channels last.
// Layer: convolution and pooling.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

namespace {

Term channelsFirst(Term x) {
    Axes order = axesBetween(1, x.rank() - 1);
    order.insert(order.begin(), {0, x.rank() - 1});
    return x.transposed(order);
}

Term channelsLast(Term x) {
    Axes order = axesBetween(2, x.rank());
    order.insert(order.begin(), 0);
    order.push_back(1);
    return x.transposed(order);
}

// Imports the node as the operator that has channels first.
void importAs(NodeContext& context, std::string_view operatorName, size_t residual) {
    for (size_t const index : {size_t{0}, residual}) {
        if (!context.hasInput(index)) {
            continue;
        }
        Term const x = Term::input(context, index);
        if (x.rank() < 3) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                         text("input ", index, ": expected [batch, spatial..., channels], got ",
                              x.dims(), "."));
        }
        context.setInput(index, channelsFirst(x).value());
    }
    ImporterRegistry::all().find(operatorName)(context);
    context.setOutput(0, channelsLast(Term(context, *context.outputs()[0].tensor)).value());
}

void importNhwcFusedConv(NodeContext& context) {
    importAs(context, "com.microsoft.FusedConv", 3);
}

void importNhwcMaxPool(NodeContext& context) {
    importAs(context, "MaxPool", 1);
}

} // namespace

void registerImporter_ms_channels_last(ImporterRegistry& registry) {
    registry.add("com.microsoft", "NhwcFusedConv", importNhwcFusedConv);
    registry.add("com.microsoft", "NhwcMaxPool", importNhwcMaxPool);
}

} // namespace kiln::onnx
