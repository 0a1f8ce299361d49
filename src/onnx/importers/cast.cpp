// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Cast and CastLike to a type that networks support.
// Layer: cast.

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

void importCast(NodeContext& context) {
    int64_t const number = context.attributes().integer("to", 0);
    auto const to = static_cast<ElementType>(toInt32(number, "attribute 'to'"));
    context.attributes().flag("saturate", true); // affects 8-bit floating point only
    auto& layer = context.named(
        context.network().addCast(context.tensor(0), requireDataType(to, "attribute 'to'")));
    context.setOutput(layer);
}

void importCastLike(NodeContext& context) {
    context.attributes().flag("saturate", true);
    auto const type = NodeContext::typeOf(context.input(1));
    context.setOutput(context.named(context.network().addCast(context.tensor(0), type)));
}

} // namespace

void registerImporter_cast(ImporterRegistry& registry) {
    registry.add("Cast", importCast);
    registry.add("CastLike", importCastLike);
}

} // namespace kiln::onnx
