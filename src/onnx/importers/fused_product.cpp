// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Products of com.microsoft: FusedMatMul, FusedGemm, and MatMulNBits, whose weights are packed
// integers of 4 bits with a scale for each block of a row.
// Layer: matrix multiply, elementwise and dequantize. MatMulNBits: 4 bits, constant weights,
// zero points and groups by index only where they are the default.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <algorithm>
#include <cstring>

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

void importFusedMatMul(NodeContext& context) {
    auto& attributes = context.attributes();
    float const alpha = attributes.real("alpha", 1.0F);
    Term x = Term::input(context, 0);
    Term y = Term::input(context, 1);
    x = attributes.integer("transBatchA", 0) != 0 ? batchMoved(x) : x;
    y = attributes.integer("transBatchB", 0) != 0 ? batchMoved(y) : y;
    x = attributes.integer("transA", 0) != 0 ? lastSwapped(x) : x;
    y = attributes.integer("transB", 0) != 0 ? lastSwapped(y) : y;
    Term const product = x.matmul(y);
    context.setOutput(0, (alpha == 1.0F ? product : product * alpha).value());
}

Term activated(NodeContext& context, Term x) {
    using nvinfer1::ActivationType;
    auto& attributes = context.attributes();
    std::string const name = attributes.string("activation", "");
    float const alpha = attributes.real("activation_alpha", 0.01F);
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
    context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                 text("attribute 'activation': expected Relu, Sigmoid, Tanh or LeakyRelu, got '",
                      name, "'."));
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

// The default zero point, 8, is in the middle: without it the numbers are those of INT4.
Term packedWeights(NodeContext& context, int64_t rows, int64_t columns) {
    Constant const& given = context.constant(1, "B");
    int64_t const count = productOf(rows, columns, "weights");
    if (given.weights.type != DataType::kUINT8 || given.weights.count != count / 2) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 1 (B): expected ", count / 2, " bytes of UINT8, got ",
                          given.weights.count, " of ", given.weights.type, "."));
    }
    auto const bytes = static_cast<size_t>(given.weights.count);
    std::byte* const values = context.tensors().store.allocate(bytes);
    auto const* from = static_cast<std::byte const*>(given.weights.values);
    std::transform(from, from + bytes, values,
                   [](std::byte pair) { return pair ^ std::byte{0x88}; });
    std::vector<int64_t> const extents{rows, columns};
    auto* layer =
        context.network().addConstant(toDims(extents, "weights"), {DataType::kINT4, values, count});
    return {context, *context.named(layer, "weights").getOutput(0)};
}

void importMatMulNBits(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const inner = attributes.integer("K", 0);
    int64_t const columns = attributes.integer("N", 0);
    int64_t const block = attributes.integer("block_size", 0);
    attributes.integer("accuracy_level", 0); // sums are in the type of A
    bool const fits = inner > 0 && columns > 0 && block > 0 && inner % block == 0 &&
                      inner < kFarthest && columns < kFarthest;
    if (attributes.integer("bits", 4) != 4 || !fits || context.hasInput(3) || context.hasInput(4)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected 4 bits, whole blocks, and neither zero points nor g_idx, got ",
                          "K ", inner, ", block_size ", block, "."));
    }
    Term const a = Term::input(context, 0);
    Term const scales =
        Term::input(context, 2).reshaped(std::vector<int64_t>{columns, inner / block});
    Term const packed = packedWeights(context, columns, inner);
    auto* layer = context.network().addDequantize(packed.tensor(), scales.tensor(), scales.type());
    Term const weights = a.of(layer);
    layer->setBlockShape(Dims{2, {1, block}});
    Term const product = a.matmul(weights, false, true);
    bool const hasBias = context.hasInput(5);
    context.setOutput(0, (hasBias ? product + Term::input(context, 5) : product).value());
}

} // namespace

void registerImporter_fused_product(ImporterRegistry& registry) {
    registry.add("com.microsoft", "FusedMatMul", importFusedMatMul);
    registry.add("com.microsoft", "TransposeMatMul", importFusedMatMul);
    registry.add("com.microsoft", "FusedGemm", importFusedGemm);
    registry.add("com.microsoft", "MatMulNBits", importMatMulNBits);
}

} // namespace kiln::onnx
