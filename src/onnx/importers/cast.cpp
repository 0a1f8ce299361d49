// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Cast to a type that a network has.

#include "onnx/element_type.h"
#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

void importCast(NodeContext& context) {
    auto const to = static_cast<ElementType>(context.attributes().integer("to", 0));
    context.attributes().flag("saturate", true); // concerns 8-bit floating point alone
    auto& layer = context.named(
        context.network().addCast(context.tensor(0), requireDataType(to, "attribute 'to'")));
    context.setOutput(layer);
}

} // namespace

void registerImporter_cast(ImporterRegistry& registry) {
    registry.add("Cast", importCast);
}

} // namespace kiln::onnx
