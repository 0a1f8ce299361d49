// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/control_flow.h"

#include "onnx/network_reason.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <kiln/known_values.h>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ILoop;
using nvinfer1::IRecurrenceLayer;
using nvinfer1::ITensor;

GraphProto const& graphAttribute(NodeContext& context, std::string_view name) {
    AttributeProto const* const attribute = context.attributes().find(name);
    if (attribute == nullptr || attribute->graph == nullptr) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute '", name, "': expected a graph, ",
                          attribute == nullptr ? "got none." : "got another type."));
    }
    return *attribute->graph;
}

std::optional<int64_t> knownNumber(Value const& value) {
    if (!value.isConstant) {
        int64_t number = 0;
        bool const isKnown = value.tensor != nullptr &&
                             kiln::knownValues(*value.tensor, nullptr, 0) == 1 &&
                             kiln::knownValues(*value.tensor, &number, 1) == 1;
        return isKnown ? std::optional(number) : std::nullopt;
    }
    if (value.constant.weights.count != 1) {
        return std::nullopt;
    }
    switch (value.constant.weights.type) {
    case DataType::kBOOL: return *static_cast<char const*>(value.constant.weights.values) != 0;
    case DataType::kINT32:
    case DataType::kINT64: return integersOf(value.constant, "number").front();
    default: return std::nullopt;
    }
}

Value truthOf(NodeContext& context, bool truth) {
    std::byte* const bytes = context.tensors().store.allocate(1);
    *bytes = truth ? std::byte{1} : std::byte{0};
    return Value(Constant{Dims{0, {}}, {DataType::kBOOL, bytes, 1}});
}

ITensor& tensorOf(NodeContext& context, Value& value, std::string const& role) {
    if (value.sequence != nullptr || value.isNone || !value.isSet()) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text(role, ": expected a tensor, got ",
                          value.sequence != nullptr ? "a sequence." : "an optional without one."));
    }
    return context.tensorOf(value, text(context.layerName(), "/", role));
}

ITensor& scalarOf(NodeContext& context, Value& value, std::string const& role) {
    if (value.isConstant && value.constant.weights.count == 1) {
        Value scalar(Constant{Dims{0, {}}, value.constant.weights});
        return tensorOf(context, scalar, role);
    }
    ITensor& tensor = tensorOf(context, value, role);
    Dims const dims = context.dims(tensor);
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] != 1 && dims.d[i] != -1) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                         text(role, ": expected one element, got the shape ", dims, "."));
        }
    }
    return dims.nbDims == 0 ? tensor : reshape(context, tensor, Dims{0, {}}, false, role);
}

namespace {

ILoop& addedLoop(NodeContext& context) {
    ILoop* const loop = context.network().addLoop();
    if (loop == nullptr) {
        context.fail(ErrorCode::kINVALID_NODE, "the network refused a loop: " + networkReason());
    }
    loop->setName(context.layerName().c_str());
    return *loop;
}

} // namespace

LoopBuilder::LoopBuilder(NodeContext& context) : context_(context), loop_(addedLoop(context)) {}

void LoopBuilder::limit(ITensor& tensor, nvinfer1::TripLimit kind) {
    bool const counts = kind == nvinfer1::TripLimit::kCOUNT;
    context_.named(loop_.addTripLimit(tensor, kind), counts ? "count" : "while");
}

IRecurrenceLayer& LoopBuilder::carry(Value& initial, std::string const& role) {
    ITensor& tensor = tensorOf(context_, initial, role);
    return context_.named(loop_.addRecurrence(tensor), role);
}

void LoopBuilder::setNext(IRecurrenceLayer& carried, Value& next, std::string const& role) {
    ITensor& tensor = tensorOf(context_, next, role + "/next");
    ITensor const& current = *carried.getOutput(0);
    Dims const before = context_.dims(current);
    Dims const after = context_.dims(tensor);
    bool fits = before.nbDims == after.nbDims;
    for (int32_t i = 0; fits && i < before.nbDims; ++i) {
        fits = before.d[i] == after.d[i] || before.d[i] < 0 || after.d[i] < 0;
    }
    if (!fits) {
        context_.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                      text(role, ": expected the shape of the first pass, ", before,
                           ", in each pass, got ", after,
                           ". Give the loop a constant number of passes, so that it is unrolled."));
    }
    if (current.getType() != tensor.getType()) {
        context_.fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                      text(role, ": expected ", current.getType(), " in each pass, got ",
                           tensor.getType(), "."));
    }
    carried.setInput(1, tensor);
}

IRecurrenceLayer& LoopBuilder::carryCounter() {
    Value zero = constantOf(context_, {0}, 0);
    IRecurrenceLayer& counter = carry(zero, "pass");
    Value one = constantOf(context_, {1}, 0);
    ITensor& step = tensorOf(context_, one, "one");
    auto* const sum = context_.network().addElementWise(*counter.getOutput(0), step,
                                                        nvinfer1::ElementWiseOperation::kSUM);
    counter.setInput(1, *context_.named(sum, "pass/next").getOutput(0));
    return counter;
}

Value LoopBuilder::last(IRecurrenceLayer& carried, std::string const& role) {
    auto* const layer =
        loop_.addLoopOutput(*carried.getOutput(0), nvinfer1::LoopOutput::kLAST_VALUE);
    return Value(*context_.named(layer, role + "/last").getOutput(0));
}

Value LoopBuilder::stack(Value& value, nvinfer1::LoopOutput kind, int32_t axis, ITensor& length,
                         std::string const& role) {
    ITensor& tensor = tensorOf(context_, value, role);
    auto& layer = context_.named(loop_.addLoopOutput(tensor, kind, axis), role + "/all");
    layer.setInput(1, length);
    return Value(*layer.getOutput(0));
}

} // namespace kiln::onnx
