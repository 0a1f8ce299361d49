// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Optionals, which exist while the model is parsed: a value, or none.
// Layer: none. They neither enter nor leave the model.

#include "onnx/control_flow.h"
#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

void importOptional(NodeContext& context) {
    context.attributes().find("type"); // of the value that is absent
    context.setOutput(0, context.hasInput(0) ? context.anyInput(0) : Value::none());
}

void importHasElement(NodeContext& context) {
    context.setOutput(0, truthOf(context, context.hasInput(0)));
}

void importGetElement(NodeContext& context) {
    if (!context.hasInput(0)) {
        context.fail(ErrorCode::kINVALID_NODE, "expected an optional with a value, got none.");
    }
    context.setOutput(0, context.anyInput(0));
}

} // namespace

void registerImporter_optional(ImporterRegistry& registry) {
    registry.add("Optional", importOptional);
    registry.add("OptionalHasElement", importHasElement);
    registry.add("OptionalGetElement", importGetElement);
}

} // namespace kiln::onnx
