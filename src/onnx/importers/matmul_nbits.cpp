// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// MatMulNBits: a product with weights of 2, 4 or 8 bits, which have a scale and a zero point for
// each block of a row. Weights stay narrow in the network: zero points that are not in the middle
// are a second product, of the sums of the blocks of A.
// Layer: dequantize, matrix multiply and elementwise. Constant weights and packed zero points;
// no groups by index.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <algorithm>
#include <vector>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

struct Blocks {
    int64_t bits;
    int64_t inner;   // of the product: K
    int64_t columns; // N
    int64_t size;    // elements of a block
    int64_t count;   // of a column; the last one may be longer than what is left of K

    int64_t middle() const { return int64_t{1} << (bits - 1); }
    bool areWhole() const { return inner == size * count; }
};

Blocks blocksOf(NodeContext& context) {
    auto& attributes = context.attributes();
    Blocks blocks{attributes.integer("bits", 4), attributes.integer("K", 0),
                  attributes.integer("N", 0), attributes.integer("block_size", 0), 0};
    attributes.integer("accuracy_level", 0); // sums are in the type of A
    auto const fits = [](int64_t extent) { return extent > 0 && extent < kFarthest; };
    bool const isKnown = blocks.bits == 2 || blocks.bits == 4 || blocks.bits == 8;
    if (!isKnown || !fits(blocks.inner) || !fits(blocks.columns) || !fits(blocks.size) ||
        blocks.size % 4 != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("expected 2, 4 or 8 bits, positive K and N, and a block_size that 4 "
                          "divides, got ",
                          blocks.bits, " bits, K ", blocks.inner, ", N ", blocks.columns,
                          ", block_size ", blocks.size, "."));
    }
    if (context.hasInput(4)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     "expected no input 4 (g_idx): groups by index are not supported. Quantize "
                     "without reordering.");
    }
    blocks.count = (blocks.inner + blocks.size - 1) / blocks.size;
    return blocks;
}

// Bytes of a constant input.
unsigned char const* bytesOf(NodeContext& context, size_t input, char const* name, int64_t count) {
    Constant const& given = context.constant(input, name);
    if (given.weights.type != DataType::kUINT8 || given.weights.count != count) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input ", input, " (", name, "): expected ", count, " bytes of UINT8, ",
                          "got ", given.weights.count, " of ", given.weights.type, "."));
    }
    return static_cast<unsigned char const*>(given.weights.values);
}

// Number `index` of those that are packed from the low bits of each byte on.
int64_t unpacked(unsigned char const* bytes, int64_t index, int64_t bits) {
    int64_t const each = 8 / bits;
    return bytes[index / each] >> (index % each * bits) & ((1 << bits) - 1);
}

// The weights less the middle: [N * blocks, size] of INT4, or INT8 for other numbers of bits.
Term narrowWeights(NodeContext& context, Blocks const& blocks) {
    int64_t const rows = productOf(blocks.columns, blocks.count, "weights");
    int64_t const count = productOf(rows, blocks.size, "weights");
    auto const* const from = bytesOf(context, 1, "B", count / 8 * blocks.bits);
    int64_t const bytes = blocks.bits == 4 ? count / 2 : count;
    auto* const values = reinterpret_cast<unsigned char*>(
        context.tensors().store.allocate(static_cast<size_t>(bytes)));
    if (blocks.bits == 2) {
        for (int64_t i = 0; i < count; ++i) {
            values[i] = static_cast<unsigned char>(unpacked(from, i, 2) - blocks.middle());
        }
    } else { // the highest bit of a number less the middle is the opposite of its own
        unsigned char const highest = blocks.bits == 4 ? 0x88 : 0x80;
        std::transform(from, from + bytes, values, [&](unsigned char byte) {
            return static_cast<unsigned char>(byte ^ highest);
        });
    }
    DataType const type = blocks.bits == 4 ? DataType::kINT4 : DataType::kINT8;
    Dims const dims = blocks.bits == 4 ? Dims{2, {blocks.columns, blocks.count * blocks.size}}
                                       : Dims{2, {rows, blocks.size}};
    auto* layer = context.network().addConstant(dims, {type, values, count});
    return {context, *context.named(layer, "weights").getOutput(0)};
}

// [N, blocks * size]: the weights with zero points in the middle.
Term centredWeights(NodeContext& context, Blocks const& blocks, Term scales) {
    Term const narrow = narrowWeights(context, blocks);
    if (blocks.bits == 4) {
        auto* layer =
            context.network().addDequantize(narrow.tensor(), scales.tensor(), scales.type());
        Term const weights = scales.of(layer);
        layer->setBlockShape(Dims{2, {1, blocks.size}});
        return weights;
    }
    Term const flat = scales.reshaped(std::vector<int64_t>{blocks.columns * blocks.count});
    auto* layer = context.network().addDequantize(narrow.tensor(), flat.tensor(), flat.type());
    Term const weights = flat.of(layer);
    layer->setAxis(0);
    return weights.reshaped(std::vector<int64_t>{blocks.columns, blocks.count * blocks.size});
}

// [N, blocks]: how far the zero points are from the middle. None: they are there.
Term zeroPoints(NodeContext& context, Blocks const& blocks, DataType type) {
    if (!context.hasInput(3)) {
        return {};
    }
    std::vector<int64_t> const extents{blocks.columns, blocks.count};
    if (NodeContext::typeOf(context.input(3)) != DataType::kUINT8) { // not packed
        Term const given = Term::input(context, 3);
        return given.cast(type).reshaped(extents) - static_cast<double>(blocks.middle());
    }
    int64_t const each = 8 / blocks.bits;
    int64_t const rowBytes = (blocks.count + each - 1) / each;
    auto const* const bytes = bytesOf(context, 3, "zero_points", blocks.columns * rowBytes);
    std::vector<double> points;
    for (int64_t i = 0; i < blocks.columns * blocks.count; ++i) {
        int64_t const point =
            unpacked(bytes + i / blocks.count * rowBytes, i % blocks.count, blocks.bits);
        points.push_back(static_cast<double>(point - blocks.middle()));
    }
    bool const centred = std::all_of(points.begin(), points.end(), [](double p) { return p == 0; });
    return centred ? Term() : Term::constant(context, points, toDims(extents, "zero_points"), type);
}

// [..., blocks]: the sum of each block of A.
Term blockSums(Term a, Blocks const& blocks) {
    Term const inner = Term::vector(a.context(), {blocks.count, blocks.size});
    Term const leading = a.rank() > 1 ? a.extents(axesBetween(0, a.rank() - 1)) : Term();
    Term const shape = leading.exists() ? Term::joined({leading, inner}, 0) : inner;
    return a.reshaped(shape).sum({a.rank()}, false);
}

void importMatMulNBits(NodeContext& context) {
    Blocks const blocks = blocksOf(context);
    Term const a = Term::input(context, 0);
    Term const scales =
        Term::input(context, 2).reshaped(std::vector<int64_t>{blocks.columns, blocks.count});
    Term weights = centredWeights(context, blocks, scales);
    Term const points = zeroPoints(context, blocks, scales.type());
    Term const shifts = points.exists() ? points * scales : Term();
    if (!blocks.areWhole()) {
        if (shifts.exists()) {
            Term const each =
                weights.reshaped(std::vector<int64_t>{blocks.columns, blocks.count, blocks.size});
            weights =
                (each - shifts.inserted({2}))
                    .reshaped(std::vector<int64_t>{blocks.columns, blocks.count * blocks.size});
        }
        weights = weights.sliced(1, 0, blocks.inner);
    }
    Term product = a.matmul(weights, false, true);
    if (shifts.exists() && blocks.areWhole()) {
        product = product - blockSums(a, blocks).matmul(shifts, false, true);
    }
    bool const hasBias = context.hasInput(5);
    context.setOutput(0, (hasBias ? product + Term::input(context, 5) : product).value());
}

} // namespace

void registerImporter_matmul_nbits(ImporterRegistry& registry) {
    registry.add("com.microsoft", "MatMulNBits", importMatMulNBits);
}

} // namespace kiln::onnx
