// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// com.microsoft.GatherBlockQuantized: rows of a table of 4 or 8 bits, with a scale and a zero point
// for each block of a row.
// Layer: gather, cast and elementwise. Table and zero points are constants of UINT8 or UINT4;
// gather axis 0, blocks along the last axis.

#include "onnx/importer_registry.h"
#include "onnx/packed_integers.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

int64_t lastOf(Dims const& dims) {
    return dims.d[dims.nbDims - 1];
}

// `columns` integers in each row. UINT4 was unpacked when the model was read.
Term unpacked(NodeContext& context, size_t index, char const* role, int64_t rows, int64_t columns,
              int64_t bits, int64_t middle) {
    Constant const& given = context.constant(index, role);
    int64_t const count = productOf(rows, columns, role);
    bool const isPacked = given.weights.count != count;
    int64_t const perRow = isPacked ? (columns * bits + 7) / 8 : columns;
    PackedIntegers const numbers(context, index, role, productOf(rows, perRow, role),
                                 isPacked ? bits : 8);
    int64_t const step = isPacked ? perRow * 8 / bits : columns;
    auto* const values =
        reinterpret_cast<int8_t*>(context.tensors().store.allocate(static_cast<size_t>(count)));
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t i = 0; i < columns; ++i) {
            values[row * columns + i] = static_cast<int8_t>(numbers(row * step + i) - middle);
        }
    }
    std::vector<int64_t> const extents{rows, columns};
    auto* const layer =
        context.network().addConstant(toDims(extents, role), {DataType::kINT8, values, count});
    return {context, *context.named(layer, role).getOutput(0)};
}

void importGatherBlockQuantized(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const bits = attributes.integer("bits", 4);
    int64_t const block = attributes.integer("block_size", 128);
    Dims const dims = context.constant(0, "data").dims;
    Dims const scaleDims = context.dims(context.input(2));
    bool const fits = dims.nbDims == 2 && scaleDims.nbDims == 2 && scaleDims.d[0] == dims.d[0] &&
                      dims.d[0] > 0 && lastOf(dims) > 0 && lastOf(scaleDims) > 0 &&
                      (bits == 4 || bits == 8) && block > 0 && block < kFarthest &&
                      toAxis(attributes.integer("gather_axis", 0), 2) == 0 &&
                      toAxis(attributes.integer("quantize_axis", 1), 2) == 1;
    if (!fits) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected a table of 4 or 8 bits with gather axis 0 and blocks along ",
                          "axis 1, got ", dims, " with scales ", scaleDims, " of ", bits,
                          " bits."));
    }
    int64_t const blocks = lastOf(scaleDims);
    // Scales tell whether bytes hold one integer or two.
    bool const isPacked = (lastOf(dims) + block - 1) / block != blocks;
    int64_t const columns = isPacked ? lastOf(dims) * 8 / bits : lastOf(dims);
    if ((columns + block - 1) / block != blocks || columns % block != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected whole blocks of ", block, ", got ", columns, " columns and ",
                          blocks, " scales."));
    }
    int64_t const middle = int64_t{1} << (bits - 1);
    Term const indices = Term::input(context, 1);
    Term const scales = Term::input(context, 2);
    auto const rowsOf = [&](Term table) { return table.gathered(indices, 0).cast(scales.type()); };
    Term numbers = rowsOf(unpacked(context, 0, "data", dims.d[0], columns, bits, middle));
    int32_t const rank = indices.rank();
    Term const split = Term::joined({indices.shape(), Term::vector(context, {blocks, block})}, 0);
    numbers = numbers.reshaped(split);
    if (context.hasInput(3)) {
        numbers =
            numbers - rowsOf(unpacked(context, 3, "zero_points", dims.d[0], blocks, bits, middle))
                          .inserted({rank + 1});
    }
    Term const result = numbers * scales.gathered(indices, 0).inserted({rank + 1});
    Term const extents = Term::joined({indices.shape(), Term::vector(context, {columns})}, 0);
    context.setOutput(0, result.reshaped(extents).value());
}

} // namespace

void registerImporter_gather_block_quantized(ImporterRegistry& registry) {
    registry.add("com.microsoft", "GatherBlockQuantized", importGatherBlockQuantized);
}

} // namespace kiln::onnx
