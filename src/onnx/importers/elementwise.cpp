// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Operators of two or more tensors with broadcasting: arithmetic, comparisons, logic. Ranks are
// made equal by extents of 1 in front.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

namespace {

template <ElementWiseOperation kOperation>
void importBinary(NodeContext& context) {
    int32_t const rank =
        std::max(context.dims(context.input(0)).nbDims, context.dims(context.input(1)).nbDims);
    ITensor& left = withRank(context, 0, rank);
    ITensor& right = withRank(context, 1, rank);
    context.setOutput(context.named(context.network().addElementWise(left, right, kOperation)));
}

// The exponent may have another type than the base, which is the type of the result.
void importPow(NodeContext& context) {
    int32_t const rank =
        std::max(context.dims(context.input(0)).nbDims, context.dims(context.input(1)).nbDims);
    ITensor& base = withRank(context, 0, rank);
    ITensor* exponent = &withRank(context, 1, rank);
    if (exponent->getType() != base.getType()) {
        auto* cast = context.network().addCast(*exponent, base.getType());
        exponent = context.named(cast, "cast").getOutput(0);
    }
    context.setOutput(context.named(
        context.network().addElementWise(base, *exponent, ElementWiseOperation::kPOW)));
}

// Any number of inputs, combined from the left.
template <ElementWiseOperation kOperation>
void importVariadic(NodeContext& context) {
    int32_t rank = 0;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        rank = std::max(rank, context.dims(context.input(i)).nbDims);
    }
    ITensor* result = &withRank(context, 0, rank);
    if (context.nbInputs() == 1) {
        context.setOutput(context.named(context.network().addIdentity(*result)));
        return;
    }
    for (size_t i = 1; i < context.nbInputs(); ++i) {
        bool const last = i + 1 == context.nbInputs();
        ITensor& next = withRank(context, i, rank);
        auto& layer = context.named(context.network().addElementWise(*result, next, kOperation),
                                    last ? "" : text("step", i));
        result = layer.getOutput(0);
    }
    context.setOutput(0, Value(*result));
}

} // namespace

void registerImporter_elementwise(ImporterRegistry& registry) {
    registry.add("Add", importBinary<ElementWiseOperation::kSUM>);
    registry.add("Sub", importBinary<ElementWiseOperation::kSUB>);
    registry.add("Mul", importBinary<ElementWiseOperation::kPROD>);
    registry.add("Div", importBinary<ElementWiseOperation::kDIV>);
    registry.add("And", importBinary<ElementWiseOperation::kAND>);
    registry.add("Or", importBinary<ElementWiseOperation::kOR>);
    registry.add("Xor", importBinary<ElementWiseOperation::kXOR>);
    registry.add("Equal", importBinary<ElementWiseOperation::kEQUAL>);
    registry.add("Greater", importBinary<ElementWiseOperation::kGREATER>);
    registry.add("Less", importBinary<ElementWiseOperation::kLESS>);
    registry.add("Pow", importPow);
    registry.add("Min", importVariadic<ElementWiseOperation::kMIN>);
    registry.add("Max", importVariadic<ElementWiseOperation::kMAX>);
    registry.add("Sum", importVariadic<ElementWiseOperation::kSUM>);
}

} // namespace kiln::onnx
