// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Clip: bounds are attributes up to opset 10, inputs from opset 11, which may be computed.
// Layer: activation, or elementwise for computed bounds and integers.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <algorithm>
#include <limits>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// Bound at input `index`; a scalar, or absent.
float boundInput(NodeContext& context, size_t index, std::string_view role, float otherwise) {
    return context.hasInput(index) ? context.real(index, role) : otherwise;
}

// A maximum and a minimum.
void importComputed(NodeContext& context) {
    Term const x = Term::input(context, 0);
    DataType const type = x.type();
    bool const isNarrow = type == DataType::kINT8 || type == DataType::kUINT8;
    DataType const wide = isNarrow ? DataType::kINT32 : type;
    Term result = x.cast(wide);
    auto const bound = [&](size_t index) {
        Term const given = Term::input(context, index).cast(wide);
        return given.rank() == 1 ? given.reshaped(std::vector<int64_t>{}) : given;
    };
    if (context.hasInput(1)) {
        result = result.max(bound(1));
    }
    if (context.hasInput(2)) {
        result = result.min(bound(2)); // ONNX: the upper bound wins
    }
    bool const same = !context.hasInput(1) && !context.hasInput(2);
    context.setOutput(0, same ? x.of(context.network().addIdentity(x.tensor())).value()
                              : result.cast(type).value());
}

bool takesElementwise(NodeContext& context) {
    if (context.opset() < 11) {
        return false;
    }
    auto const isComputed = [&](size_t index) {
        return context.hasInput(index) && !context.input(index).isConstant;
    };
    return isComputed(1) || isComputed(2) || !isReal(NodeContext::typeOf(context.input(0)));
}

void importClip(NodeContext& context) {
    if (takesElementwise(context)) {
        importComputed(context);
        return;
    }
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
