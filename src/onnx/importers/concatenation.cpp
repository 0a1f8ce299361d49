// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Concat along one axis. INT64 vectors that are constant stay constant.
// Layer: concatenation.

#include "onnx/counted_mask.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <optional>

namespace kiln::onnx {

namespace {

std::optional<Value> joined(NodeContext& context) {
    std::vector<int64_t> all;
    int64_t count = 0;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        Value const& value = context.input(i);
        if (!value.isConstant || value.constant.dims.nbDims != 1 ||
            value.constant.weights.type != nvinfer1::DataType::kINT64) {
            return std::nullopt;
        }
        count = sumOf(count, value.constant.weights.count, "elements");
        if (count > kMostFolded) {
            return std::nullopt; // repeated concatenation with itself doubles a constant
        }
        auto const part = integersOf(value.constant, "input");
        all.insert(all.end(), part.begin(), part.end());
    }
    return constantOf(context, all);
}

void importConcat(NodeContext& context) {
    int32_t const rank = context.dims(context.input(0)).nbDims;
    int64_t const axis = context.attributes().integer("axis", 1); // required from opset 4 on
    if (auto const value = joined(context)) {
        static_cast<void>(toAxis(axis, rank));
        context.setOutput(0, *value);
        return;
    }
    useCountsOfMasks(context);
    std::vector<nvinfer1::ITensor*> tensors;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        tensors.push_back(&context.tensor(i));
    }
    int32_t const count = toInt32(static_cast<int64_t>(tensors.size()), "inputs");
    auto& layer = context.named(context.network().addConcatenation(tensors.data(), count));
    layer.setAxis(toAxis(axis, rank));
    context.setOutput(layer);
}

} // namespace

void registerImporter_concatenation(ImporterRegistry& registry) {
    registry.add("Concat", importConcat);
}

} // namespace kiln::onnx
