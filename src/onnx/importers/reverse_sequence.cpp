// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// ReverseSequence.
// Layer: reverse sequence.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

namespace {

void importReverseSequence(NodeContext& context) {
    int32_t const rank = context.dims(context.input(0)).nbDims;
    auto& layer =
        context.named(context.network().addReverseSequence(context.tensor(0), context.tensor(1)));
    auto& attributes = context.attributes();
    layer.setBatchAxis(toAxis(attributes.integer("batch_axis", 1), rank));
    layer.setSequenceAxis(toAxis(attributes.integer("time_axis", 0), rank));
    context.setOutput(layer);
}

} // namespace

void registerImporter_reverse_sequence(ImporterRegistry& registry) {
    registry.add("ReverseSequence", importReverseSequence);
}

} // namespace kiln::onnx
