// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Gemm: alpha * A' * B' + beta * C, where A' and B' may be transposed and C is broadcast.
// Layer: matrix multiply, or elementwise and reduce for integers.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"
#include "onnx/term.h"
#include "onnx/whole_numbers.h"

namespace kiln::onnx {

using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;
using nvinfer1::MatrixOperation;

namespace {

ITensor& scaled(NodeContext& context, ITensor& tensor, float factor, std::string_view name) {
    if (factor == 1.0F) {
        return tensor;
    }
    std::string const scaleName = name.empty() ? "value" : text(name, "/value");
    ITensor& scale = context.scalar(factor, tensor.getType(), 2, scaleName);
    auto* layer = context.network().addElementWise(tensor, scale, ElementWiseOperation::kPROD);
    return *context.named(layer, name).getOutput(0);
}

void importWholeGemm(NodeContext& context) {
    Attributes& attributes = context.attributes();
    auto const operand = [&](size_t index, char const* name) {
        Term const x = Term::input(context, index);
        return attributes.flag(name, false) ? x.swapped(0, 1) : x;
    };
    Term sum = wholeProduct(operand(0, "transA"), operand(1, "transB"));
    float const alpha = attributes.real("alpha", 1.0F);
    float const beta = attributes.real("beta", 1.0F);
    sum = alpha == 1.0F ? sum : sum * alpha;
    if (context.hasInput(2)) {
        Term const bias = Term::input(context, 2);
        sum = sum + (beta == 1.0F ? bias : bias * beta);
    }
    context.setOutput(0, sum.value());
}

void importGemm(NodeContext& context) {
    for (size_t i = 0; i < 2; ++i) {
        nvinfer1::Dims const dims = context.dims(context.input(i));
        if (dims.nbDims != 2) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("input ", i, ": expected 2 dimensions, got ", dims, "."));
        }
    }
    if (isInteger(context.tensor(0).getType())) {
        importWholeGemm(context);
        return;
    }
    Attributes& attributes = context.attributes();
    auto const operation = [&](char const* name) {
        return attributes.flag(name, false) ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE;
    };
    float const alpha = attributes.real("alpha", 1.0F);
    float const beta = attributes.real("beta", 1.0F);
    bool const adds = context.hasInput(2) && beta != 0.0F;
    bool const plain = alpha == 1.0F && !adds;
    auto* multiply = context.network().addMatrixMultiply(context.tensor(0), operation("transA"),
                                                         context.tensor(1), operation("transB"));
    ITensor* product = context.named(multiply, plain ? "" : "multiply").getOutput(0);
    product = &scaled(context, *product, alpha, adds ? "alpha" : "");
    if (adds) {
        ITensor& bias = scaled(context, withRank(context, 2, 2), beta, "beta");
        auto* sum = context.network().addElementWise(*product, bias, ElementWiseOperation::kSUM);
        product = context.named(sum).getOutput(0);
    }
    context.setOutput(0, Value(*product));
}

} // namespace

void registerImporter_gemm(ImporterRegistry& registry) {
    registry.add("Gemm", importGemm);
}

} // namespace kiln::onnx
