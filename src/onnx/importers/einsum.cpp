// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Einsum of any number of inputs.
// Layer: einsum. No letter twice in one input.

#include "onnx/importer_registry.h"

namespace kiln::onnx {
namespace {

void importEinsum(NodeContext& context) {
    std::vector<nvinfer1::ITensor*> inputs;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        inputs.push_back(&context.tensor(i));
    }
    std::string const equation = context.attributes().string("equation", "");
    context.setOutput(context.named(context.network().addEinsum(
        inputs.data(), static_cast<int32_t>(inputs.size()), equation.c_str())));
}

} // namespace

void registerImporter_einsum(ImporterRegistry& registry) {
    registry.add("Einsum", importEinsum);
}

} // namespace kiln::onnx
