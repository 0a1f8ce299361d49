// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Identity, and Dropout, which is the identity in inference. In training it drops random elements,
// which are Kiln's own.
// Layer: identity, or fill and select for Dropout in training.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <optional>

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

// Whether elements are dropped: nothing if only a run can tell.
std::optional<bool> trains(NodeContext& context) {
    if (!context.hasInput(2)) {
        return false;
    }
    Value const& given = context.input(2);
    auto const type = NodeContext::typeOf(given);
    if (type != nvinfer1::DataType::kBOOL || context.dims(given).nbDims > 1) {
        context.fail(ErrorCode::kINVALID_NODE, text("training_mode: expected one BOOL, got ", type,
                                                    ' ', context.dims(given), "."));
    }
    if (!given.isConstant) {
        return std::nullopt;
    }
    if (given.constant.weights.count != 1) {
        context.fail(ErrorCode::kINVALID_NODE, text("training_mode: expected one BOOL, got ",
                                                    given.constant.weights.count, "."));
    }
    return *static_cast<char const*>(given.constant.weights.values) != 0;
}

Term oneElement(NodeContext& context, size_t index) {
    Term const x = Term::input(context, index);
    return x.rank() == 0 ? x : x.removed({0});
}

// Keeps an element with the probability 1 - ratio, and divides it by that.
void dropElements(NodeContext& context, bool always) {
    Term const x = Term::input(context, 0);
    Term const ratio =
        context.hasInput(1)
            ? oneElement(context, 1).cast(nvinfer1::DataType::kFLOAT)
            : Term::number(context, 0.5, nvinfer1::DataType::kFLOAT); // ONNX's default
    auto* fill = context.network().addFill(repeatedDims(x.rank(), 0, "shape"),
                                           nvinfer1::FillOperation::kRANDOM_UNIFORM,
                                           nvinfer1::DataType::kFLOAT);
    Term const random = x.of(fill);
    if (x.rank() > 0) {
        fill->setInput(0, x.shape().tensor());
    }
    Term keeps = random >= ratio;
    Term result = keeps.choose(x / (1.0 - ratio).cast(x.type()), x.like(0));
    if (!always) {
        Term const mode = oneElement(context, 2);
        keeps = keeps || !mode;
        result = mode.choose(result, x);
    }
    context.setOutput(0, result.value());
    context.setOutput(1, keeps.value());
}

// In inference, Dropout keeps all elements.
void importDropout(NodeContext& context) {
    context.attributes().find("ratio");
    context.attributes().find("seed"); // the random numbers are Kiln's own
    auto const training = trains(context);
    if (!training || *training) {
        dropElements(context, training.has_value());
        return;
    }
    importIdentity(context);
    if (context.node().outputs.size() > 1 && !context.node().outputs[1].empty()) {
        Term const x = Term::input(context, 0);
        auto const type =
            context.opset() >= 10 ? nvinfer1::DataType::kBOOL : x.type(); // a mask of numbers
        Term const all = Term::number(context, 1, type);
        context.setOutput(1, all.expanded(x.shape()).value());
    }
}

} // namespace

void registerImporter_identity(ImporterRegistry& registry) {
    registry.add("Identity", importIdentity);
    registry.add("Dropout", importDropout);
}

} // namespace kiln::onnx
