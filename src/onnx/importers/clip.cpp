// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Clip with constant bounds: attributes up to opset 10, inputs from opset 11.
// Layer: activation. Bounds are constants.

#include "onnx/importer_registry.h"

#include <algorithm>
#include <limits>

namespace kiln::onnx {

namespace {

// Bound at input `index`; a scalar, or absent.
float boundInput(NodeContext& context, size_t index, std::string_view role, float otherwise) {
    return context.hasInput(index) ? context.real(index, role) : otherwise;
}

void importClip(NodeContext& context) {
    float low = std::numeric_limits<float>::lowest();
    float high = std::numeric_limits<float>::max();
    if (context.opset() < 11) {
        low = context.attributes().real("min", low);
        high = context.attributes().real("max", high);
    } else {
        low = boundInput(context, 1, "min", low);
        high = boundInput(context, 2, "max", high);
    }
    low = std::min(low, high); // ONNX: the upper bound wins
    auto& layer = context.named(
        context.network().addActivation(context.tensor(0), nvinfer1::ActivationType::kCLIP));
    layer.setAlpha(low);
    layer.setBeta(high);
    context.setOutput(layer);
}

} // namespace

void registerImporter_clip(ImporterRegistry& registry) {
    registry.add("Clip", importClip);
}

} // namespace kiln::onnx
