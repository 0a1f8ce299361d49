// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, and reductions with a function before or
// after: ReduceL1, ReduceL2, ReduceSumSquare, ReduceLogSum, ReduceLogSumExp. Axes are constants: an
// attribute, or input 1 (ReduceSum from opset 13, the others from opset 18).
// Layer: reduce. Axes are constants; no `BOOL`.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;
using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;

namespace {

// A bit for each axis; 0 if none are given.
uint32_t axesOf(NodeContext& context, bool fromInput, int32_t rank) {
    std::vector<int64_t> axes = context.attributes().integers("axes", {});
    if (fromInput && context.hasInput(1)) {
        axes = context.integers(1, "axes", nvinfer1::Dims::MAX_DIMS);
    }
    uint32_t mask = 0;
    for (int32_t const axis : toAxes(axes, rank)) {
        mask |= 1U << static_cast<uint32_t>(axis);
    }
    return mask;
}

// Reduces `tensor`; `suffix` names the layer. With `keeps`, the axes stay whatever the node says.
ITensor& reduced(NodeContext& context, ITensor& tensor, ReduceOperation operation,
                 int64_t opsetOfInput, std::string_view suffix, bool keeps = false) {
    int32_t const rank = context.dims(tensor).nbDims;
    uint32_t axes = axesOf(context, context.opset() >= opsetOfInput, rank);
    bool const keep = context.attributes().flag("keepdims", true) || keeps;
    bool const none = context.attributes().flag("noop_with_empty_axes", false);
    if (rank == 0 || (axes == 0 && none)) {
        return *context.named(context.network().addIdentity(tensor), suffix).getOutput(0);
    }
    axes = axes == 0 ? (1U << static_cast<uint32_t>(rank)) - 1U : axes;
    auto* layer = context.network().addReduce(tensor, operation, axes, keep);
    return *context.named(layer, suffix).getOutput(0);
}

template <ReduceOperation kOperation>
void importReduce(NodeContext& context) {
    int64_t const opsetOfInput = kOperation == ReduceOperation::kSUM ? 13 : 18;
    ITensor& result = reduced(context, context.tensor(0), kOperation, opsetOfInput, "");
    context.setOutput(0, Value(result));
}

ITensor& squared(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    auto* layer =
        context.network().addElementWise(tensor, tensor, nvinfer1::ElementWiseOperation::kPROD);
    return *context.named(layer, "square").getOutput(0);
}

// function(sum of `terms`)
void importFunctionOfSum(NodeContext& context, ITensor& terms, UnaryOperation function) {
    ITensor& sum = reduced(context, terms, ReduceOperation::kSUM, 18, "sum");
    context.setOutput(context.named(context.network().addUnary(sum, function)));
}

void importL1(NodeContext& context) {
    auto* absolute = context.network().addUnary(context.tensor(0), UnaryOperation::kABS);
    ITensor& terms = *context.named(absolute, "absolute").getOutput(0);
    context.setOutput(0, Value(reduced(context, terms, ReduceOperation::kSUM, 18, "")));
}

void importL2(NodeContext& context) {
    importFunctionOfSum(context, squared(context), UnaryOperation::kSQRT);
}

void importLogSum(NodeContext& context) {
    importFunctionOfSum(context, context.tensor(0), UnaryOperation::kLOG);
}

// log(sum(exp(x - largest))) + largest, since exp(x) may overflow.
void importLogSumExp(NodeContext& context) {
    auto& network = context.network();
    ITensor& tensor = context.tensor(0);
    ITensor& kept = reduced(context, tensor, ReduceOperation::kMAX, 18, "kept", true);
    auto* subtract = network.addElementWise(tensor, kept, ElementWiseOperation::kSUB);
    ITensor& shifted = *context.named(subtract, "shifted").getOutput(0);
    auto* exponential = network.addUnary(shifted, UnaryOperation::kEXP);
    ITensor& terms = *context.named(exponential, "powers").getOutput(0);
    ITensor& sum = reduced(context, terms, ReduceOperation::kSUM, 18, "sum");
    ITensor& logarithm =
        *context.named(network.addUnary(sum, UnaryOperation::kLOG), "logarithm").getOutput(0);
    ITensor& largest = reduced(context, tensor, ReduceOperation::kMAX, 18, "largest");
    context.setOutput(
        context.named(network.addElementWise(logarithm, largest, ElementWiseOperation::kSUM)));
}

void importSumSquare(NodeContext& context) {
    context.setOutput(0, Value(reduced(context, squared(context), ReduceOperation::kSUM, 18, "")));
}

} // namespace

void registerImporter_reduce(ImporterRegistry& registry) {
    registry.add("ReduceSum", importReduce<ReduceOperation::kSUM>);
    registry.add("ReduceMean", importReduce<ReduceOperation::kAVG>);
    registry.add("ReduceMax", importReduce<ReduceOperation::kMAX>);
    registry.add("ReduceMin", importReduce<ReduceOperation::kMIN>);
    registry.add("ReduceProd", importReduce<ReduceOperation::kPROD>);
    registry.add("ReduceL1", importL1);
    registry.add("ReduceL2", importL2);
    registry.add("ReduceLogSum", importLogSum);
    registry.add("ReduceLogSumExp", importLogSumExp);
    registry.add("ReduceSumSquare", importSumSquare);
}

} // namespace kiln::onnx
