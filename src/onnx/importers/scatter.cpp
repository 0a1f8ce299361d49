// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Scatter, ScatterElements and ScatterND, without reduction.
// Layer: scatter. No `reduction`; updates at indices out of range are left out.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::ScatterMode;

namespace {

template <ScatterMode kMode>
void importScatter(NodeContext& context) {
    std::string const reduction = context.attributes().string("reduction", "none");
    if (reduction != "none") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'reduction': expected \"none\", got \"", reduction,
                          "\". Combine the updates with other layers."));
    }
    int32_t const rank = context.dims(context.input(0)).nbDims;
    auto& layer = context.named(context.network().addScatter(context.tensor(0), context.tensor(1),
                                                             context.tensor(2), kMode));
    if (kMode == ScatterMode::kELEMENT) {
        layer.setAxis(toAxis(context.attributes().integer("axis", 0), rank));
    }
    context.setOutput(layer);
}

} // namespace

void registerImporter_scatter(ImporterRegistry& registry) {
    registry.add("Scatter", importScatter<ScatterMode::kELEMENT>);
    registry.add("ScatterElements", importScatter<ScatterMode::kELEMENT>);
    registry.add("ScatterND", importScatter<ScatterMode::kND>);
}

} // namespace kiln::onnx
