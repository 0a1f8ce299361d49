// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Concat along one axis.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

namespace {

void importConcat(NodeContext& context) {
    int32_t const rank = context.dims(context.input(0)).nbDims;
    int64_t const axis = context.attributes().integer("axis", 1); // required from opset 4 on
    std::vector<nvinfer1::ITensor*> tensors;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        tensors.push_back(&context.tensor(i));
    }
    auto& layer = context.named(
        context.network().addConcatenation(tensors.data(), static_cast<int32_t>(tensors.size())));
    layer.setAxis(normalizeAxis(context, axis, rank));
    context.setOutput(layer);
}

} // namespace

void registerImporter_concatenation(ImporterRegistry& registry) {
    registry.add("Concat", importConcat);
}

} // namespace kiln::onnx
