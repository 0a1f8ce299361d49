// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Operators on quantized tensors: DynamicQuantizeLinear, MatMulInteger, ConvInteger, QLinearMatMul,
// QLinearConv, and those of com.microsoft. Inputs are dequantized, so that the compiler finds the
// products of integers, as between QuantizeLinear and DequantizeLinear.
// Layer: dequantize, the layer of the operator and quantize.

#include "onnx/importer_registry.h"
#include "onnx/quantized_term.h"
#include "onnx/term.h"
#include "onnx/window_attributes.h"

#include <algorithm>
#include <optional>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

Term scaleOne(NodeContext& context) {
    return Term::number(context, 1, DataType::kFLOAT);
}

// UINT8 of FLOAT: scale and zero point are outputs 1 and 2.
void importDynamicQuantize(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Axes const all = axesBetween(0, x.rank());
    Term const most = x.largest(all, false).max(0.0);
    Term const least = x.smallest(all, false).min(0.0);
    Term const span = (most - least) / 255.0;
    Term const scale = (span == 0.0).choose(span.like(1), span);
    Term const zero = (0.0 - least / scale).round().clamp(0, 255);
    Term const result = ((x / scale).round() + zero).clamp(0, 255);
    context.setOutput(0, result.cast(DataType::kUINT8).value());
    context.setOutput(1, scale.value());
    context.setOutput(2, zero.cast(DataType::kUINT8).value());
}

std::optional<Term> optionalInput(NodeContext& context, size_t index) {
    return context.hasInput(index) ? std::optional(Term::input(context, index)) : std::nullopt;
}

// The product of integers, as FLOAT. Sums up to 2^24 are exact.
Term integerProduct(NodeContext& context, size_t leftZero, size_t rightZero) {
    Term const left = Term::input(context, 0);
    Term const right = Term::input(context, 1);
    // A zero point may belong to each row of the left or each column of the right matrix.
    Term const x = dequantized(left, scaleOne(context), optionalInput(context, leftZero),
                               std::max(left.rank() - 2, 0));
    Term const y =
        dequantized(right, scaleOne(context), optionalInput(context, rightZero), right.rank() - 1);
    return x.matmul(y);
}

void importMatMulInteger(NodeContext& context) {
    context.setOutput(0, integerProduct(context, 2, 3).cast(DataType::kINT32).value());
}

// com.microsoft: inputs A, B, a_scale, b_scale, a_zero, b_zero, bias.
void importMatMulIntegerToFloat(NodeContext& context) {
    Term result =
        integerProduct(context, 4, 5) * (Term::input(context, 2) * Term::input(context, 3));
    if (context.hasInput(6)) {
        result = result + Term::input(context, 6);
    }
    context.setOutput(0, result.value());
}

// com.microsoft: A (FLOAT), B, b_scale, b_zero, bias. The original quantizes A; here it stays.
void importDynamicQuantizeMatMul(NodeContext& context) {
    Term const y =
        dequantized(Term::input(context, 1), Term::input(context, 2), optionalInput(context, 3), 1);
    Term result = Term::input(context, 0).matmul(y);
    if (context.hasInput(4)) {
        result = result + Term::input(context, 4);
    }
    context.setOutput(0, result.value());
}

Term convolved(NodeContext& context, Term x, Term weights) {
    Dims const dims = weights.dims();
    int32_t const spatialRank = spatialRankOf(context);
    Dims const extents = toDims({dims.d + 2, static_cast<size_t>(spatialRank)}, "input (weights)");
    Windows const windows = readWindows(context, spatialRank, &extents);
    auto* layer = context.network().addConvolutionNd(
        x.tensor(), dims.d[0], extents, {x.type(), nullptr, 0}, {x.type(), nullptr, 0});
    Term const named = (context.named(layer), Term(context, *layer->getOutput(0)));
    applyWindows(*layer, windows);
    layer->setDilationNd(windows.dilations);
    layer->setNbGroups(context.attributes().integer("group", 1));
    layer->setInput(1, weights.tensor());
    return named;
}

void importConvInteger(NodeContext& context) {
    Term const x =
        dequantized(Term::input(context, 0), scaleOne(context), optionalInput(context, 2), 1);
    Term const weights =
        dequantized(Term::input(context, 1), scaleOne(context), optionalInput(context, 3), 0);
    context.setOutput(0, convolved(context, x, weights).cast(DataType::kINT32).value());
}

// Inputs: x, scale, zero, w, scale, zero, scale and zero of the result, bias in units of the
// product of both scales.
void importQLinearConv(NodeContext& context) {
    Term const xScale = Term::input(context, 1);
    Term const wScale = Term::input(context, 4);
    Term const x = dequantized(Term::input(context, 0), xScale, Term::input(context, 2), 1);
    Term const weights = dequantized(Term::input(context, 3), wScale, Term::input(context, 5), 0);
    Term result = convolved(context, x, weights);
    if (context.hasInput(8)) {
        Term const bias = Term::input(context, 8).cast(DataType::kFLOAT) * (xScale * wScale);
        result = result + bias.inserted(axesBetween(1, result.rank() - 1));
    }
    context.setOutput(
        0, quantized(result, Term::input(context, 6), Term::input(context, 7), 1).value());
}

void importQLinearMatMul(NodeContext& context) {
    Term const a = Term::input(context, 0);
    Term const b = Term::input(context, 3);
    Term const x =
        dequantized(a, Term::input(context, 1), Term::input(context, 2), std::max(a.rank() - 2, 0));
    Term const y = dequantized(b, Term::input(context, 4), Term::input(context, 5), b.rank() - 1);
    context.setOutput(
        0, quantized(x.matmul(y), Term::input(context, 6), Term::input(context, 7), 1).value());
}

// com.microsoft: A, scale, zero, B, scale, zero, scale and zero of the result.
template <nvinfer1::ElementWiseOperation kOperation>
void importQLinearBinary(NodeContext& context) {
    Term const x =
        dequantized(Term::input(context, 0), Term::input(context, 1), optionalInput(context, 2), 1);
    Term const y =
        dequantized(Term::input(context, 3), Term::input(context, 4), optionalInput(context, 5), 1);
    context.setOutput(0, quantized(x.binary(kOperation, y), Term::input(context, 6),
                                   optionalInput(context, 7), 1, Term::input(context, 0).type())
                             .value());
}

// com.microsoft: X, scale, zero, scale and zero of the result.
template <Term (*kFunction)(NodeContext& context, Term x)>
void importQLinearUnary(NodeContext& context) {
    Term const x =
        dequantized(Term::input(context, 0), Term::input(context, 1), optionalInput(context, 2), 1);
    context.setOutput(0, quantized(kFunction(context, x), Term::input(context, 3),
                                   optionalInput(context, 4), 1, Term::input(context, 0).type())
                             .value());
}

Term sigmoidOf(NodeContext&, Term x) {
    return x.sigmoid();
}
Term leakyReluOf(NodeContext& context, Term x) {
    return x.activation(nvinfer1::ActivationType::kLEAKY_RELU,
                        context.attributes().real("alpha", 0.01F));
}
Term softmaxOf(NodeContext& context, Term x) {
    auto& attributes = context.attributes();
    attributes.integer("opset", 0);
    return x.softmax(toAxis(attributes.integer("axis", -1), x.rank()));
}
Term averageOf(NodeContext& context, Term x) {
    bool const last = context.attributes().integer("channels_last", 0) != 0;
    return x.mean(last ? axesBetween(1, x.rank() - 1) : axesBetween(2, x.rank()));
}

// com.microsoft: scale and zero of the result, then triples of tensor, scale and zero.
void importQLinearConcat(NodeContext& context) {
    std::vector<Term> parts;
    for (size_t i = 2; i + 2 < context.nbInputs() + 0; i += 3) {
        parts.push_back(dequantized(Term::input(context, i), Term::input(context, i + 1),
                                    Term::input(context, i + 2), 1));
    }
    if (parts.empty()) {
        context.fail(ErrorCode::kINVALID_NODE, "expected a tensor with scale and zero point.");
    }
    int32_t const axis = toAxis(context.attributes().integer("axis", 0), parts[0].rank());
    context.setOutput(
        0, quantized(Term::joined(parts, axis), Term::input(context, 0), Term::input(context, 1), 1)
               .value());
}

} // namespace

void registerImporter_quantized(ImporterRegistry& registry) {
    registry.add("DynamicQuantizeLinear", importDynamicQuantize);
    registry.add("MatMulInteger", importMatMulInteger);
    registry.add("ConvInteger", importConvInteger);
    registry.add("QLinearConv", importQLinearConv);
    registry.add("QLinearMatMul", importQLinearMatMul);
    registry.add("com.microsoft", "MatMulIntegerToFloat", importMatMulIntegerToFloat);
    registry.add("com.microsoft", "DynamicQuantizeMatMul", importDynamicQuantizeMatMul);
    registry.add("com.microsoft", "QLinearConv", importQLinearConv);
    registry.add("com.microsoft", "QLinearAdd",
                 importQLinearBinary<nvinfer1::ElementWiseOperation::kSUM>);
    registry.add("com.microsoft", "QLinearMul",
                 importQLinearBinary<nvinfer1::ElementWiseOperation::kPROD>);
    registry.add("com.microsoft", "QLinearSigmoid", importQLinearUnary<sigmoidOf>);
    registry.add("com.microsoft", "QLinearLeakyRelu", importQLinearUnary<leakyReluOf>);
    registry.add("com.microsoft", "QLinearSoftmax", importQLinearUnary<softmaxOf>);
    registry.add("com.microsoft", "QLinearGlobalAveragePool", importQLinearUnary<averageOf>);
    registry.add("com.microsoft", "QLinearConcat", importQLinearConcat);
}

} // namespace kiln::onnx
