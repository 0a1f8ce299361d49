// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Scatter, ScatterElements and ScatterND, also with reductions.
// Layer: scatter. Updates at indices out of range are left out.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <kiln/extra_layers.h>

#include <string_view>
#include <utility>

namespace kiln::onnx {

using nvinfer1::ScatterMode;

namespace {

ScatterReduction reductionOf(NodeContext& context) {
    std::string const name = context.attributes().string("reduction", "none");
    std::pair<std::string_view, ScatterReduction> const all[] = {
        {"none", ScatterReduction::kNONE}, {"add", ScatterReduction::kSUM},
        {"mul", ScatterReduction::kPROD},  {"max", ScatterReduction::kMAX},
        {"min", ScatterReduction::kMIN},
    };
    for (auto const& [known, reduction] : all) {
        if (name == known) {
            return reduction;
        }
    }
    context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                 text("attribute 'reduction': expected \"none\", \"add\", \"mul\", \"max\" or "
                      "\"min\", got \"",
                      name, "\"."));
}

template <ScatterMode kMode>
void importScatter(NodeContext& context) {
    ScatterReduction const reduction = reductionOf(context);
    int32_t const rank = context.dims(context.input(0)).nbDims;
    auto& layer = context.named(context.network().addScatter(context.tensor(0), context.tensor(1),
                                                             context.tensor(2), kMode));
    if (kMode == ScatterMode::kELEMENT) {
        layer.setAxis(toAxis(context.attributes().integer("axis", 0), rank));
    }
    setScatterReduction(layer, reduction);
    context.setOutput(layer);
}

} // namespace

void registerImporter_scatter(ImporterRegistry& registry) {
    registry.add("Scatter", importScatter<ScatterMode::kELEMENT>);
    registry.add("ScatterElements", importScatter<ScatterMode::kELEMENT>);
    registry.add("ScatterND", importScatter<ScatterMode::kND>);
}

} // namespace kiln::onnx
