// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Unique: the different elements, or slices along an axis.
// Layer: unique, a layer of Kiln's own. The number of results is known after the layer ran.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"

#include <kiln/extra_layers.h>

namespace kiln::onnx {

namespace {

void importUnique(NodeContext& context) {
    auto& attributes = context.attributes();
    int32_t const rank = context.dims(context.input(0)).nbDims;
    int32_t const axis = attributes.has("axis") ? toAxis(attributes.integer("axis", 0), rank) : -1;
    bool const sorted = attributes.flag("sorted", true);
    auto& layer = context.named(addUnique(context.network(), context.tensor(0), sorted, axis));
    for (int32_t i = 0; i < layer.getNbOutputs(); ++i) {
        context.setOutput(static_cast<size_t>(i), Value(*layer.getOutput(i)));
    }
}

// com.microsoft: in order of occurrence; the elements, which of them each is, and their numbers.
void importMsUnique(NodeContext& context) {
    auto& layer = context.named(addUnique(context.network(), context.tensor(0), false, -1));
    context.setOutput(0, Value(*layer.getOutput(0)));
    context.setOutput(1, Value(*layer.getOutput(2)));
    context.setOutput(2, Value(*layer.getOutput(3)));
}

} // namespace

void registerImporter_unique(ImporterRegistry& registry) {
    registry.add("Unique", importUnique);
    registry.add("com.microsoft", "Unique", importMsUnique);
}

} // namespace kiln::onnx
