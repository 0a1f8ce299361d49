// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// com.microsoft.MatMulBnb4: a product with weights of 4 bits, FP4 or NF4 of bitsandbytes. Each
// element is an index into a table of 16 numbers, times the largest magnitude of its block.
// Source: Dettmers et al., QLoRA (https://arxiv.org/abs/2305.14314), appendix E.
// Layer: matrix multiply. Weights and `absmax` are constants; the weights become FLOAT.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <array>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

using Table = std::array<double, 16>;

// A sign, and the magnitudes 0, 1/192, 2/3, 1, 1/3, 1/2, 1/6 and 1/4.
constexpr Table kFp4{
    0.0,  5.208333333e-03,  0.66666667,  1.0,  0.33333333,  0.5,  0.16666667,  0.25,
    -0.0, -5.208333333e-03, -0.66666667, -1.0, -0.33333333, -0.5, -0.16666667, -0.25};

// Quantiles of the normal distribution.
constexpr Table kNf4{-1.0,
                     -0.6961928009986877,
                     -0.5250730514526367,
                     -0.39491748809814453,
                     -0.28444138169288635,
                     -0.18477343022823334,
                     -0.09105003625154495,
                     0.0,
                     0.07958029955625534,
                     0.16093020141124725,
                     0.24611230194568634,
                     0.33791524171829224,
                     0.44070982933044434,
                     0.5626170039176941,
                     0.7229568362236023,
                     1.0};

struct Shape {
    int64_t columns; // K
    int64_t rows;    // N
    int64_t block;
    bool isNormal; // NF4
};

Shape shapeOf(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const type = attributes.integer("quant_type", 1);
    Shape const shape{attributes.integer("K", 0), attributes.integer("N", 0),
                      attributes.integer("block_size", 0), type == 1};
    bool const fits = shape.columns > 0 && shape.columns < kFarthest && shape.rows > 0 &&
                      shape.rows < kFarthest && shape.block >= 1 && shape.block < kFarthest &&
                      (type == 0 || type == 1);
    if (!fits) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected K, N and block_size of 1 or more and a quant_type of 0 or 1, ",
                          "got K ", shape.columns, ", N ", shape.rows, ", block_size ", shape.block,
                          ", quant_type ", type, "."));
    }
    return shape;
}

// The weights without the factors of their blocks, [blocks, block]: a last block is filled up.
Term tableValues(NodeContext& context, Shape const& shape, int64_t blocks) {
    int64_t const count = productOf(shape.rows, shape.columns, "weights");
    Constant const& given = context.constant(1, "B");
    if (given.weights.type != DataType::kUINT8 || given.weights.count != (count + 1) / 2) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 1 (B): expected ", (count + 1) / 2, " bytes of UINT8, got ",
                          given.weights.count, " of ", given.weights.type, "."));
    }
    auto const* const bytes = static_cast<uint8_t const*>(given.weights.values);
    Table const& table = shape.isNormal ? kNf4 : kFp4;
    int64_t const filled = productOf(blocks, shape.block, "weights");
    auto* const values = reinterpret_cast<float*>(
        context.tensors().store.allocate(static_cast<size_t>(filled) * sizeof(float)));
    for (int64_t i = 0; i < filled; ++i) {
        int const index = i >= count ? 7 : i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15;
        values[i] = static_cast<float>(table[static_cast<size_t>(index)]);
    }
    auto* const layer = context.network().addConstant(Dims{2, {blocks, shape.block}},
                                                      {DataType::kFLOAT, values, filled});
    return {context, *context.named(layer, "B").getOutput(0)};
}

void importMatMulBnb4(NodeContext& context) {
    Shape const shape = shapeOf(context);
    bool const transposes = context.attributes().flag("transB", true);
    context.attributes().flag("training_mode", false);
    Term const a = Term::input(context, 0);
    int64_t const count = productOf(shape.rows, shape.columns, "weights");
    int64_t const blocks = (count + shape.block - 1) / shape.block;
    context.constant(2, "absmax");
    Term const factors =
        Term::input(context, 2).cast(DataType::kFLOAT).reshaped(std::vector<int64_t>{blocks, 1});
    Term const all = tableValues(context, shape, blocks) * factors;
    Term const flat = all.reshaped(std::vector<int64_t>{-1}).sliced(0, 0, count);
    Term const weights =
        flat.reshaped(std::vector<int64_t>{shape.rows, shape.columns}).cast(a.type());
    context.setOutput(0, a.matmul(weights, false, transposes).value());
}

} // namespace

void registerImporter_matmul_bnb4(ImporterRegistry& registry) {
    registry.add("com.microsoft", "MatMulBnb4", importMatMulBnb4);
}

} // namespace kiln::onnx
