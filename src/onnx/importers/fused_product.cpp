// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Products of com.microsoft with factors, transposed operands and an activation.
// Layer: matrix multiply and elementwise.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

Term lastSwapped(Term x) {
    return x.rank() < 2 ? x : x.swapped(x.rank() - 1, x.rank() - 2);
}

// The first batch axis is moved behind the matrix's rows.
Term batchMoved(Term x) {
    Axes order = axesBetween(1, x.rank() - 1);
    order.push_back(0);
    order.push_back(x.rank() - 1);
    return x.transposed(order);
}

Term fusedProduct(NodeContext& context) {
    auto& attributes = context.attributes();
    float const alpha = attributes.real("alpha", 1.0F);
    Term x = Term::input(context, 0);
    Term y = Term::input(context, 1);
    x = attributes.integer("transBatchA", 0) != 0 ? batchMoved(x) : x;
    y = attributes.integer("transBatchB", 0) != 0 ? batchMoved(y) : y;
    x = attributes.integer("transA", 0) != 0 ? lastSwapped(x) : x;
    y = attributes.integer("transB", 0) != 0 ? lastSwapped(y) : y;
    Term const product = x.matmul(y);
    return alpha == 1.0F ? product : product * alpha;
}

Term activated(NodeContext& context, Term x) {
    using nvinfer1::ActivationType;
    auto& attributes = context.attributes();
    std::string const name = attributes.string("activation", "");
    float const alpha = attributes.real("activation_alpha", name == "HardSigmoid" ? 0.2F : 0.01F);
    float const beta = attributes.real("activation_beta", 0.5F);
    if (name.empty()) {
        return x;
    }
    if (name == "Relu") {
        return x.activation(ActivationType::kRELU);
    }
    if (name == "Sigmoid") {
        return x.sigmoid();
    }
    if (name == "Tanh") {
        return x.tanh();
    }
    if (name == "LeakyRelu") {
        return x.activation(ActivationType::kLEAKY_RELU, alpha);
    }
    if (name == "HardSigmoid") {
        return x.activation(ActivationType::kHARD_SIGMOID, alpha, beta);
    }
    context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                 text("attribute 'activation': expected Relu, Sigmoid, Tanh, LeakyRelu or ",
                      "HardSigmoid, got '", name, "'."));
}

void importFusedMatMul(NodeContext& context) {
    context.setOutput(0, fusedProduct(context).value());
}

void importProductActivation(NodeContext& context) {
    context.setOutput(0, activated(context, fusedProduct(context)).value());
}

// The bias is added in front of the activation.
void importGemmFastGelu(NodeContext& context) {
    Term const product = Term::input(context, 0).matmul(Term::input(context, 1));
    Term const sum = context.hasInput(2) ? product + Term::input(context, 2) : product;
    context.setOutput(0, sum.activation(nvinfer1::ActivationType::kGELU_TANH).value());
}

void importFusedGemm(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const product = Term::input(context, 0)
                             .matmul(Term::input(context, 1), attributes.flag("transA", false),
                                     attributes.flag("transB", false));
    float const alpha = attributes.real("alpha", 1.0F);
    float const beta = attributes.real("beta", 1.0F);
    Term result = alpha == 1.0F ? product : product * alpha;
    if (context.hasInput(2) && beta != 0.0F) {
        Term const bias = Term::input(context, 2);
        result = result + (beta == 1.0F ? bias : bias * beta);
    }
    context.setOutput(0, activated(context, result).value());
}

} // namespace

void registerImporter_fused_product(ImporterRegistry& registry) {
    registry.add("com.microsoft", "FusedMatMul", importFusedMatMul);
    registry.add("com.microsoft", "TransposeMatMul", importFusedMatMul);
    registry.add("com.microsoft", "FusedMatMulActivation", importProductActivation);
    registry.add("com.microsoft", "GemmFastGelu", importGemmFastGelu);
    registry.add("com.microsoft", "FusedGemm", importFusedGemm);
}

} // namespace kiln::onnx
