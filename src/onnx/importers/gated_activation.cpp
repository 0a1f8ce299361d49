// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Swish, SwiGLU, Shrink and the activations of com.microsoft: x * sigmoid(alpha * x), its product
// with a second input, and forms of GELU with a bias.
// Layer: activation, elementwise and select.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

Term swish(Term x, float alpha) {
    return x * (alpha == 1.0F ? x : x * alpha).sigmoid();
}

void importSwish(NodeContext& context) {
    float const alpha = context.attributes().real("alpha", 1.0F);
    context.setOutput(0, swish(Term::input(context, 0), alpha).value());
}

void importQuickGelu(NodeContext& context) {
    float const alpha = context.attributes().real("alpha", 1.702F);
    context.setOutput(0, swish(Term::input(context, 0), alpha).value());
}

void importSwiGLU(NodeContext& context) {
    float const alpha = context.attributes().real("alpha", 1.0F);
    Term const gate = swish(Term::input(context, 0), alpha);
    context.setOutput(0, (gate * Term::input(context, 1)).value());
}

// x + bias below -lambd, x - bias above lambd, else 0.
void importShrink(NodeContext& context) {
    auto& attributes = context.attributes();
    float const limit = attributes.real("lambd", 0.5F);
    float const bias = attributes.real("bias", 0.0F);
    Term const x = Term::input(context, 0);
    Term const real = isReal(x.type()) ? x : x.cast(DataType::kFLOAT);
    Term const inner = (real > limit).choose(real - bias, real.like(0));
    context.setOutput(0, (real < -limit).choose(real + bias, inner).cast(x.type()).value());
}

template <nvinfer1::ActivationType kType>
void importBiasedGelu(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Term const sum = context.hasInput(1) ? x + Term::input(context, 1) : x;
    context.setOutput(0, sum.activation(kType).value());
}

// The first half of the last axis times GELU of the second half.
void importBiasSplitGelu(NodeContext& context) {
    Term const sum = Term::input(context, 0) + Term::input(context, 1);
    int32_t const axis = sum.rank() - 1;
    int64_t const width = sum.dims().d[axis];
    if (width < 0 || width % 2 != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 0: expected a known, even last extent, got ", sum.dims(), "."));
    }
    Term const gate = sum.sliced(axis, width / 2, width / 2);
    Term const x = sum.sliced(axis, 0, width / 2);
    context.setOutput(0, (x * gate.activation(nvinfer1::ActivationType::kGELU_ERF)).value());
}

void importBiasAdd(NodeContext& context) {
    Term const sum = Term::input(context, 0) + Term::input(context, 1);
    context.setOutput(0, (sum + Term::input(context, 2)).value());
}

} // namespace

void registerImporter_gated_activation(ImporterRegistry& registry) {
    registry.add("Swish", importSwish);
    registry.add("SwiGLU", importSwiGLU);
    registry.add("Shrink", importShrink);
    registry.add("com.microsoft", "QuickGelu", importQuickGelu);
    registry.add("com.microsoft", "Gelu", importBiasedGelu<nvinfer1::ActivationType::kGELU_ERF>);
    registry.add("com.microsoft", "BiasGelu",
                 importBiasedGelu<nvinfer1::ActivationType::kGELU_ERF>);
    registry.add("com.microsoft", "FastGelu",
                 importBiasedGelu<nvinfer1::ActivationType::kGELU_TANH>);
    registry.add("com.microsoft", "BiasSplitGelu", importBiasSplitGelu);
    registry.add("com.microsoft", "BiasAdd", importBiasAdd);
}

} // namespace kiln::onnx
