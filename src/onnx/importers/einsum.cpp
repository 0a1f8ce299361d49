// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Einsum of any number of inputs.
// Layer: einsum.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

void importEinsum(NodeContext& context) {
    std::vector<nvinfer1::ITensor*> inputs;
    Term const first = Term::input(context, 0);
    bool const isNarrow = first.type() == DataType::kINT8 || first.type() == DataType::kUINT8;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        Term const x = Term::input(context, i);
        inputs.push_back(&(isNarrow ? x.cast(DataType::kINT32) : x).tensor());
    }
    std::string const equation = context.attributes().string("equation", "");
    auto& layer = context.named(context.network().addEinsum(
        inputs.data(), static_cast<int32_t>(inputs.size()), equation.c_str()));
    context.setOutput(0, Term(context, *layer.getOutput(0)).cast(first.type()).value());
}

} // namespace

void registerImporter_einsum(ImporterRegistry& registry) {
    registry.add("Einsum", importEinsum);
}

} // namespace kiln::onnx
