// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Compress: the slices along an axis, or the elements, that a condition selects.
// Layer: nonzero and gather. The number of results is known after the layer ran.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

void importCompress(NodeContext& context) {
    Term x = Term::input(context, 0);
    Term const condition = Term::input(context, 1);
    auto& attributes = context.attributes();
    int32_t axis = 0;
    if (attributes.has("axis")) {
        axis = toAxis(attributes.integer("axis", 0), x.rank());
    } else {
        x = x.reshaped(std::vector<int64_t>{-1});
    }
    auto* layer = context.network().addNonZero(condition.tensor(), DataType::kINT64);
    context.setOutput(0, x.gathered(condition.of(layer).removed({0}), axis).value());
}

} // namespace

void registerImporter_compress(ImporterRegistry& registry) {
    registry.add("Compress", importCompress);
}

} // namespace kiln::onnx
