// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// com.microsoft.MatMulNBits: a product with packed integers of 2, 4 or 8 bits. Each block of a row
// has a scale and a zero point; `g_idx` says which block a column belongs to.
// Layer: dequantize and matrix multiply. Weights, zero points and `g_idx` are constants.

#include "onnx/importer_registry.h"
#include "onnx/packed_integers.h"
#include "onnx/term.h"

#include <algorithm>
#include <numeric>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

struct Shape {
    int64_t columns; // K: of a row, those of A
    int64_t rows;    // N
    int64_t block;
    int64_t bits;
    int64_t blocks() const { return (columns + block - 1) / block; }
    int64_t filled() const { return blocks() * block; }         // columns of whole blocks
    int64_t middle() const { return int64_t{1} << (bits - 1); } // the default zero point
};

Shape shapeOf(NodeContext& context) {
    auto& attributes = context.attributes();
    Shape const shape{attributes.integer("K", 0), attributes.integer("N", 0),
                      attributes.integer("block_size", 0), attributes.integer("bits", 4)};
    attributes.integer("accuracy_level", 0); // sums are in the type of A
    bool const fits = shape.columns > 0 && shape.columns < kFarthest && shape.rows > 0 &&
                      shape.rows < kFarthest && shape.block >= 8 && shape.block < kFarthest &&
                      (shape.bits == 2 || shape.bits == 4 || shape.bits == 8);
    if (!fits) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected 2, 4 or 8 bits, K and N of 1 or more and blocks of 8 or more, ",
                          "got ", shape.bits, " bits, K ", shape.columns, ", N ", shape.rows,
                          ", block_size ", shape.block, "."));
    }
    return shape;
}

// The columns of A in the order of their blocks; empty if they are in order.
std::vector<int64_t> orderOf(NodeContext& context, Shape const& shape) {
    constexpr size_t kIndex = 4;
    if (!context.hasInput(kIndex)) {
        return {};
    }
    std::vector<int64_t> const group =
        context.integers(kIndex, "g_idx", static_cast<int32_t>(shape.columns));
    std::vector<int64_t> order(group.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return group[static_cast<size_t>(a)] < group[static_cast<size_t>(b)];
    });
    bool whole = static_cast<int64_t>(group.size()) == shape.columns;
    for (int64_t i = 0; whole && i < shape.columns; ++i) {
        whole = group[static_cast<size_t>(order[static_cast<size_t>(i)])] == i / shape.block;
    }
    if (!whole) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("input 4 (g_idx): expected ", shape.columns,
                          " numbers of blocks, each of them ", shape.block,
                          " times (the last one may be shorter), got another distribution."));
    }
    bool const sorted = std::is_sorted(group.begin(), group.end());
    return sorted ? std::vector<int64_t>{} : order;
}

// The weights less the default zero point, [N, whole blocks], as INT4 or INT8.
Term signedWeights(NodeContext& context, Shape const& shape, std::vector<int64_t> const& order) {
    std::vector<int64_t> const extents{shape.rows, shape.filled()};
    int64_t const count = productOf(shape.rows, shape.filled(), "weights");
    PackedIntegers const given(context, 1, "B", count * shape.bits / 8, shape.bits);
    bool const wide = shape.bits == 8;
    auto const bytes = static_cast<size_t>(wide ? count : count / 2);
    auto* const values = reinterpret_cast<uint8_t*>(context.tensors().store.allocate(bytes));
    std::fill_n(values, bytes, uint8_t{0});
    for (int64_t row = 0; row < shape.rows; ++row) {
        for (int64_t i = 0; i < shape.filled(); ++i) {
            bool const moves = !order.empty() && i < shape.columns;
            int64_t const from = moves ? order[static_cast<size_t>(i)] : i;
            auto const number =
                static_cast<uint8_t>(given(row * shape.filled() + from) - shape.middle());
            int64_t const to = row * shape.filled() + i;
            values[wide ? to : to / 2] |=
                static_cast<uint8_t>(wide ? number : (number & 15) << to % 2 * 4);
        }
    }
    DataType const type = wide ? DataType::kINT8 : DataType::kINT4;
    auto* const layer =
        context.network().addConstant(toDims(extents, "weights"), {type, values, count});
    return {context, *context.named(layer, "weights").getOutput(0)};
}

// What the zero points move each block by, less the default, [N, blocks]; none without them.
Term offsetsOf(NodeContext& context, Shape const& shape, DataType type) {
    constexpr size_t kIndex = 3;
    if (!context.hasInput(kIndex)) {
        return {};
    }
    std::vector<int64_t> const extents{shape.rows, shape.blocks()};
    auto const middle = static_cast<double>(shape.middle());
    if (context.typeOf(context.input(kIndex)) != DataType::kUINT8) {
        return middle - Term::input(context, kIndex).reshaped(extents).cast(type);
    }
    int64_t const perRow = (shape.blocks() * shape.bits + 7) / 8; // bytes
    PackedIntegers const given(context, kIndex, "zero_points",
                               productOf(shape.rows, perRow, "bytes"), shape.bits);
    std::vector<double> values;
    for (int64_t row = 0; row < shape.rows; ++row) {
        for (int64_t i = 0; i < shape.blocks(); ++i) {
            values.push_back(middle -
                             static_cast<double>(given(row * perRow * 8 / shape.bits + i)));
        }
    }
    if (std::all_of(values.begin(), values.end(), [](double x) { return x == 0.0; })) {
        return {};
    }
    return Term::constant(context, values, toDims(extents, "zero_points"), type);
}

// The sums of the blocks of A's rows.
Term blockSums(Term a, Shape const& shape) {
    Term const split = Term::vector(a.context(), {shape.blocks(), shape.block});
    Term const extents =
        a.rank() == 1 ? split : Term::joined({a.extents(axesBetween(0, a.rank() - 1)), split}, 0);
    return a.reshaped(extents).sum({a.rank()}, false);
}

void importMatMulNBits(NodeContext& context) {
    Shape const shape = shapeOf(context);
    Term a = Term::input(context, 0);
    int32_t const last = a.rank() - 1;
    std::vector<int64_t> const order = orderOf(context, shape);
    if (!order.empty()) {
        a = a.gathered(Term::vector(context, order), last);
    }
    if (shape.filled() != shape.columns) {
        a = a.sliced({last}, Term::vector(context, {0}), Term::vector(context, {shape.filled()}),
                     nvinfer1::SampleMode::kFILL);
    }
    std::vector<int64_t> const perBlock{shape.rows, shape.blocks()};
    Term const scales = Term::input(context, 2).reshaped(perBlock);
    Term const packed = signedWeights(context, shape, order);
    auto* const layer =
        context.network().addDequantize(packed.tensor(), scales.tensor(), scales.type());
    Term const weights = a.of(layer);
    layer->setBlockShape(Dims{2, {1, shape.block}});
    Term result = a.matmul(weights, false, true);
    // The zero points apart: a product with integers and scales alone has kernels of its own.
    if (Term const offsets = offsetsOf(context, shape, scales.type()); offsets.exists()) {
        result = result + blockSums(a, shape).matmul(offsets * scales, false, true);
    }
    result = context.hasInput(5) ? result + Term::input(context, 5) : result;
    context.setOutput(0, result.value());
}

} // namespace

void registerImporter_matmul_nbits(ImporterRegistry& registry) {
    registry.add("com.microsoft", "MatMulNBits", importMatMulNBits);
}

} // namespace kiln::onnx
