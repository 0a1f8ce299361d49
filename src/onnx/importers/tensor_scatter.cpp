// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// TensorScatter: writes rows into a cache, from an index for each batch on.
//   cache: [batch, ..., longest, ...], update: [batch, ..., length, ...], indices: [batch]
// Layer: scatter.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

void importTensorScatter(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const cache = Term::input(context, 0);
    Term const update = Term::input(context, 1);
    int32_t const rank = cache.rank();
    int32_t const axis = toAxis(attributes.integer("axis", -2), rank);
    std::string const mode = attributes.string("mode", "linear");
    if (mode != "linear" && mode != "circular") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'mode': expected linear or circular, got '", mode, "'."));
    }
    Axes others = axesBetween(0, rank);
    others.erase(others.begin() + axis);
    Term at = Term::range(update.extent(axis)).inserted(others);
    if (context.hasInput(2)) {
        at = at + Term::input(context, 2).cast(DataType::kINT64).inserted(axesBetween(1, rank));
    }
    if (mode == "circular") {
        Term const extent = cache.extent(axis);
        at = at - at.floorDiv(extent) * extent;
    }
    auto* layer = context.network().addScatter(cache.tensor(), at.expanded(update.shape()).tensor(),
                                               update.tensor(), nvinfer1::ScatterMode::kELEMENT);
    Term const result = cache.of(layer);
    layer->setAxis(axis);
    context.setOutput(0, result.value());
}

} // namespace

void registerImporter_tensor_scatter(ImporterRegistry& registry) {
    registry.add("TensorScatter", importTensorScatter);
}

} // namespace kiln::onnx
