// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, and reductions with a function before or
// after: ReduceL1, ReduceL2, ReduceSumSquare, ReduceLogSum, ReduceLogSumExp. Axes are an attribute,
// or input 1 (ReduceSum from opset 13, the others from opset 18), which may be computed.
// Layer: reduce. Axes that only an input of the model gives take several layers for each axis.

#include "onnx/computed_axes.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;
using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;

namespace {

struct Request {
    std::vector<int64_t> axes; // if they are known
    bool computed = false;     // input 1 gives the axes at run time
    bool keeps = true;
};

Request requestOf(NodeContext& context, int64_t opsetOfInput) {
    Request request;
    request.axes = context.attributes().integers("axes", {});
    request.keeps = context.attributes().flag("keepdims", true);
    if (context.opset() >= opsetOfInput && context.hasInput(1)) {
        request.computed = !context.isKnown(1);
        request.axes = request.computed ? std::vector<int64_t>{}
                                        : context.integers(1, "axes", nvinfer1::Dims::MAX_DIMS);
    }
    return request;
}

// Reduces each axis; where the axis is not among those given, the elements stay.
Term reducedWhere(NodeContext& context, Term x, ReduceOperation operation, bool keeps) {
    int32_t const rank = x.rank();
    Term const given = Term::input(context, 1);
    if (given.rank() == 1 && given.dims().d[0] == 0) {
        bool const noop = context.attributes().flag("noop_with_empty_axes", false);
        return noop ? x : x.reduce(operation, axesBetween(0, rank), keeps);
    }
    ComputedAxes const axes(context, 1, rank);
    for (int32_t axis = 0; axis < rank; ++axis) {
        Term const flag = axes.flags().sliced(0, axis, 1);
        Term const extent = x.extent(axis);
        Term const both = Term::joined({x.reduce(operation, {axis}, true), x}, axis);
        x = both.sliced({axis}, 1.0 - flag, extent * (1.0 - flag) + flag);
    }
    return keeps ? x : withoutAxes(x, axes);
}

// Reduces `tensor`; `suffix` names the layer. With `keeps`, the axes stay whatever the node says.
ITensor& reduced(NodeContext& context, ITensor& tensor, ReduceOperation operation,
                 int64_t opsetOfInput, std::string_view suffix, bool keeps = false) {
    int32_t const rank = context.dims(tensor).nbDims;
    Request const request = requestOf(context, opsetOfInput);
    bool const keep = request.keeps || keeps;
    bool const none = context.attributes().flag("noop_with_empty_axes", false);
    if (rank != 0 && request.computed) {
        return reducedWhere(context, Term(context, tensor), operation, keep).tensor();
    }
    uint32_t axes = 0;
    for (int32_t const axis : toAxes(request.axes, rank)) {
        axes |= 1U << static_cast<uint32_t>(axis);
    }
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
    Term const x = Term::input(context, 0);
    DataType const type = x.type();
    bool const isNarrow =
        type == DataType::kBOOL || type == DataType::kINT8 || type == DataType::kUINT8;
    ITensor& tensor = isNarrow ? x.cast(DataType::kINT32).tensor() : x.tensor();
    ITensor& result = reduced(context, tensor, kOperation, opsetOfInput, "");
    Term const narrow(context, result);
    context.setOutput(0, (type == DataType::kBOOL ? narrow > 0.0 : narrow.cast(type)).value());
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
