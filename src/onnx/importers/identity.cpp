// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Identity, and Dropout, which is the identity in inference.
// Layer: identity.

#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

void importIdentity(NodeContext& context) {
    Value const& value = context.anyInput(0);
    if (value.sequence != nullptr) {
        context.setOutput(0, value);
        return;
    }
    if (value.isConstant) { // shared weights have this form; they stay constant
        context.setOutput(0, Value(value.constant));
        return;
    }
    context.setOutput(context.named(context.network().addIdentity(*value.tensor)));
}

void importDropout(NodeContext& context) {
    if (context.hasInput(2)) {
        Constant const& training = context.constant(2, "training_mode");
        if (training.weights.type != nvinfer1::DataType::kBOOL || training.weights.count != 1) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("training_mode: expected one BOOL, got ", training.weights.count,
                              " of ", training.weights.type, "."));
        }
        if (*static_cast<char const*>(training.weights.values) != 0) {
            context.fail(
                ErrorCode::kUNSUPPORTED_NODE_INPUT,
                "training_mode: expected false, got true. Export the model for inference.");
        }
    }
    context.attributes().find("ratio");
    context.attributes().find("seed");
    importIdentity(context);
}

} // namespace

void registerImporter_identity(ImporterRegistry& registry) {
    registry.add("Identity", importIdentity);
    registry.add("Dropout", importDropout);
}

} // namespace kiln::onnx
