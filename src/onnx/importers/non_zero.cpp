// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// NonZero: indices of the elements that are not zero, int64.
// Layer: nonzero. The number of results is known after the layer ran; inputs of rank 1 or more.
// Exporters to old operator sets write a range as the indices of a vector of ones; it becomes a
// fill layer, whose extent is that of the vector.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

namespace {

void importNonZero(NodeContext& context) {
    Value const& input = context.input(0);
    if (input.isNeverZero && context.dims(input).nbDims == 1) {
        Term const range = Term::range(Term::input(context, 0).extent(0));
        context.setOutput(0, range.inserted({0}).value());
        return;
    }
    context.setOutput(
        context.named(context.network().addNonZero(context.tensor(0), nvinfer1::DataType::kINT64)));
}

} // namespace

void registerImporter_non_zero(ImporterRegistry& registry) {
    registry.add("NonZero", importNonZero);
}

} // namespace kiln::onnx
