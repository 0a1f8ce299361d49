// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// NonZero: indices of the elements that are not zero, int64.
// Layer: nonzero. The number of results is known after the layer ran; inputs of rank 1 or more.

#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

void importNonZero(NodeContext& context) {
    context.setOutput(
        context.named(context.network().addNonZero(context.tensor(0), nvinfer1::DataType::kINT64)));
}

} // namespace

void registerImporter_non_zero(ImporterRegistry& registry) {
    registry.add("NonZero", importNonZero);
}

} // namespace kiln::onnx
