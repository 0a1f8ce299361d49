// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// MoE and QMoE of com.microsoft: each token passes through the experts with the largest router
// scores. QMoE has weights of 4 or 8 bits, with a scale for each row or block of a row.
// Source: ContribOperators.md of ONNX Runtime.
// Layer: top-k and MoE; matrix multiply with all experts where they have no gate. Integers of QMoE
// are constants.

#include "onnx/importer_registry.h"
#include "onnx/packed_integers.h"
#include "onnx/term.h"

#include <algorithm>
#include <limits>

namespace kiln::onnx {

using nvinfer1::ActivationType;
using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

// One product of the experts: weights [experts, outputs, inputs] and their bias [experts, outputs].
struct Product {
    Term weights; // may not exist, as the bias
    Term bias;
};

struct Places { // of inputs
    size_t weights;
    size_t scales;
    size_t bias;
    size_t zeros;
};

// The numbers of QMoE less the middle of their range, as INT4 or INT8.
Term signedWeights(NodeContext& context, size_t index, Dims const& dims, int64_t bits) {
    int64_t const count =
        productOf(productOf(dims.d[0], dims.d[1], "weights"), dims.d[2], "weights");
    PackedIntegers const given(context, index, "weights", count * bits / 8, bits);
    int64_t const middle = int64_t{1} << (bits - 1);
    bool const wide = bits == 8;
    auto const bytes = static_cast<size_t>(wide ? count : (count + 1) / 2);
    auto* const values = reinterpret_cast<uint8_t*>(context.tensors().store.allocate(bytes));
    std::fill_n(values, bytes, uint8_t{0});
    for (int64_t i = 0; i < count; ++i) {
        auto const number = static_cast<uint8_t>(given(i) - middle);
        values[wide ? i : i / 2] |=
            static_cast<uint8_t>(wide ? number : (number & 15) << i % 2 * 4);
    }
    DataType const type = wide ? DataType::kINT8 : DataType::kINT4;
    auto* const layer = context.network().addConstant(dims, {type, values, count});
    return {context, *context.named(layer, text("weights", index)).getOutput(0)};
}

int64_t bitsOf(NodeContext& context, char const* name) {
    auto& attributes = context.attributes();
    int64_t const bits = attributes.integer(name, attributes.integer("expert_weight_bits", 4));
    if (bits != 4 && bits != 8) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute '", name, "': expected 4 or 8, got ", bits, "."));
    }
    return bits;
}

// What the zero points of blocks take away beside the default.
Term offsetsOf(NodeContext& context, size_t index, Dims const& blocks, int64_t bits,
               DataType type) {
    int64_t const perRow = (blocks.d[2] * bits + 7) / 8;
    int64_t const rows = productOf(blocks.d[0], blocks.d[1], "zero points");
    bool const byRow = blocks.d[2] == 1; // then the rows of an expert are packed
    int64_t const perExpert = (blocks.d[1] * bits + 7) / 8;
    PackedIntegers const given(context, index, "zero points",
                               byRow ? blocks.d[0] * perExpert : rows * perRow, bits);
    std::vector<double> values;
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t i = 0; i < blocks.d[2]; ++i) {
            int64_t const at = byRow
                                   ? row / blocks.d[1] * (perExpert * 8 / bits) + row % blocks.d[1]
                                   : row * (perRow * 8 / bits) + i;
            values.push_back(static_cast<double>((int64_t{1} << (bits - 1)) - given(at)));
        }
    }
    return Term::constant(context, values, blocks, type);
}

Product quantizedProduct(NodeContext& context, Places places, char const* bitsName, DataType type) {
    if (!context.hasInput(places.weights)) {
        return {};
    }
    int64_t const bits = bitsOf(context, bitsName);
    Dims dims = context.dims(context.input(places.weights));
    Term scales = Term::input(context, places.scales).cast(type);
    int64_t const block = context.attributes().integer("block_size", 0);
    bool const known = dims.nbDims == 3 && dims.d[0] > 0 && dims.d[1] > 0 && dims.d[2] > 0;
    int64_t const columns = known ? dims.d[2] * 8 / bits : 0;
    int64_t const length = block > 0 ? block : columns;
    if (!known || length < 1 || columns % length != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input ", places.weights, ": expected weights [experts, rows, columns] ",
                          "of whole blocks of ", length, ", got ", dims, "."));
    }
    dims.d[2] = columns;
    scales = scales.rank() == 2 ? scales.inserted({2}) : scales;
    Term const integers = signedWeights(context, places.weights, dims, bits);
    auto* const layer = context.network().addDequantize(integers.tensor(), scales.tensor(), type);
    Term weights = integers.of(layer);
    Dims const blocks{3, {dims.d[0], dims.d[1], columns / length}};
    layer->setBlockShape(Dims{3, {1, 1, length}});
    if (context.hasInput(places.zeros)) {
        Term const moves = offsetsOf(context, places.zeros, blocks, bits, type) * scales;
        Term const perBlock = moves.inserted({3}).expanded(
            Term::vector(context, {blocks.d[0], blocks.d[1], blocks.d[2], length}));
        weights = weights + perBlock.reshaped({dims.d[0], dims.d[1], columns});
    }
    return {weights, context.hasInput(places.bias) ? Term::input(context, places.bias) : Term()};
}

Product plainProduct(NodeContext& context, size_t weights, size_t bias) {
    return {context.hasInput(weights) ? Term::input(context, weights) : Term(),
            context.hasInput(bias) ? Term::input(context, bias) : Term()};
}

struct Experts {
    Product first;
    Product second;
    Product third;
};

struct Chosen {
    Term experts; // [1, tokens, k]
    Term scores;
};

// Softmax over all experts, or over those that are taken. `aggregate`: scores without softmax.
Chosen chosen(NodeContext& context, Term router, Term aggregate) {
    auto& attributes = context.attributes();
    int64_t const k = attributes.integer("k", 1);
    if (attributes.flag("use_sparse_mixer", false)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'use_sparse_mixer': expected 0.");
    }
    bool const normalizes = attributes.flag("normalize_routing_weights", false);
    auto* const layer = context.network().addTopK(router.tensor(), nvinfer1::TopKOperation::kMAX,
                                                  toInt32(k, "attribute 'k'"), 2);
    Term const values = router.of(layer);
    Term const experts = router.of(layer, 1);
    Term scores;
    if (aggregate.exists()) {
        scores = aggregate.gatheredElements(experts, 1);
        scores = normalizes ? scores / scores.sum({1}) : scores;
    } else {
        scores = normalizes ? values.softmax(1) : router.softmax(1).gatheredElements(experts, 1);
    }
    return {experts.inserted({0}), scores.inserted({0})};
}

Term transposedWeights(Term weights) {
    return weights.transposed({0, 2, 1});
}

Term biasOf(Product const& product, int64_t rows) {
    if (product.bias.exists()) {
        return product.bias;
    }
    Term const zero = product.weights.like(0);
    return zero.expanded(Term::vector(zero.context(), {product.weights.dims().d[0], rows}));
}

// Gate and up, which one product may have, interleaved or one behind the other.
std::pair<Product, Product> gateAndUp(Experts const& experts, int64_t fusion) {
    if (fusion == 0) {
        return {experts.first, experts.third};
    }
    Term const weights = experts.first.weights;
    Dims const dims = weights.dims();
    int64_t const inner = dims.d[1] / 2;
    bool const mixed = fusion == 1;
    auto const half = [&](Term x, int64_t which) {
        int32_t const rank = x.rank();
        std::vector<int64_t> shape{dims.d[0], mixed ? inner : 2, mixed ? 2 : inner};
        if (rank == 3) {
            shape.push_back(dims.d[2]);
        }
        int32_t const axis = mixed ? 2 : 1;
        return x.reshaped(shape).sliced(axis, which, 1).removed({axis});
    };
    Term const bias = biasOf(experts.first, dims.d[1]);
    return {{half(weights, 0), half(bias, 0)}, {half(weights, 1), half(bias, 1)}};
}

// x: [1, tokens, width]
Term gated(NodeContext& context, Term x, Chosen const& taken, Experts const& experts, bool swiglu) {
    auto& attributes = context.attributes();
    int64_t const fusion = swiglu ? attributes.integer("swiglu_fusion", 0) : 0;
    if (fusion == 0 && !experts.third.weights.exists()) {
        context.fail(ErrorCode::kINVALID_NODE,
                     "swiglu_fusion 0: expected weights of a third product, got none.");
    }
    auto const [gate, up] = gateAndUp(experts, fusion);
    Term const down = transposedWeights(experts.second.weights);
    auto* const layer =
        context.network().addMoE(x.tensor(), taken.experts.tensor(), taken.scores.tensor());
    Term const result = x.of(layer);
    layer->setGatedWeights(transposedWeights(gate.weights).tensor(),
                           transposedWeights(up.weights).tensor(), down.tensor(),
                           nvinfer1::MoEActType::kSILU);
    bool const hasBias = gate.bias.exists() || up.bias.exists() || experts.second.bias.exists();
    if (hasBias) {
        int64_t const inner = gate.weights.dims().d[1];
        layer->setGatedBiases(biasOf(gate, inner).tensor(), biasOf(up, inner).tensor(),
                              biasOf(experts.second, down.dims().d[2]).tensor());
    }
    if (swiglu) {
        layer->setSwigluParams(
            attributes.real("swiglu_limit", std::numeric_limits<float>::infinity()),
            attributes.real("activation_alpha", 1.0F), attributes.real("activation_beta", 0.0F));
    }
    return result;
}

Term activated(NodeContext& context, Term x, std::string const& name) {
    if (name == "relu") {
        return x.activation(ActivationType::kRELU);
    }
    if (name == "gelu") {
        return x.activation(ActivationType::kGELU_TANH);
    }
    if (name == "silu") {
        return x * x.sigmoid();
    }
    if (name != "identity") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'activation_type': expected relu, gelu, silu, swiglu or ",
                          "identity, got '", name, "'."));
    }
    return x;
}

// All experts for all tokens: the layer has gated ones only.
Term throughAll(NodeContext& context, Term x, Chosen const& taken, Experts const& experts,
                std::string const& activation, Term router) {
    auto const product = [](Term rows, Product const& by) {
        Term const result = rows.matmul(by.weights, false, true);
        return by.bias.exists() ? result + by.bias.inserted({1}) : result;
    };
    Term const inner = activated(context, product(x, experts.first), activation);
    Term const results = product(inner, experts.second); // [experts, tokens, width]
    auto* const layer = context.network().addScatter(
        router.zeros().tensor(), taken.experts.removed({0}).tensor(),
        taken.scores.removed({0}).tensor(), nvinfer1::ScatterMode::kELEMENT);
    Term const shares = router.of(layer);
    layer->setAxis(1);
    return (results * shares.transposed({1, 0}).inserted({2})).sum({0});
}

void importExperts(NodeContext& context, Experts const& experts, Term aggregate) {
    auto& attributes = context.attributes();
    std::string const activation = attributes.string("activation_type", "relu");
    Term const input = Term::input(context, 0);
    Term const router = Term::input(context, 1);
    int64_t const width = input.dims().d[input.rank() - 1];
    Term const x = input.reshaped(std::vector<int64_t>{1, -1, width});
    Chosen const taken = chosen(context, router, aggregate);
    bool const swiglu = activation == "swiglu";
    bool const isGated = swiglu || (activation == "silu" && experts.third.weights.exists());
    if (!isGated && experts.third.weights.exists()) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'activation_type': expected swiglu or silu with a third ",
                          "product, got '", activation, "'."));
    }
    Term const result = isGated ? gated(context, x, taken, experts, swiglu)
                                : throughAll(context, x, taken, experts, activation, router);
    context.setOutput(0, result.reshaped(input.shape()).value());
}

void importMoe(NodeContext& context) {
    importExperts(
        context,
        {plainProduct(context, 2, 3), plainProduct(context, 4, 5), plainProduct(context, 6, 7)},
        Term());
}

void importQMoe(NodeContext& context) {
    auto& attributes = context.attributes();
    std::string const kind = attributes.string("quant_type", "int");
    if (kind != "int" || attributes.integer("weights_prepacked", 0) > 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("expected a quant_type of int and weights that are not packed for a ",
                          "device, got '", kind, "'."));
    }
    attributes.integer("accuracy_level", 0); // sums are in the type of the input
    DataType const type = NodeContext::typeOf(context.input(0));
    Term const aggregate = context.hasInput(14) ? Term::input(context, 14) : Term();
    importExperts(context,
                  {quantizedProduct(context, {2, 3, 4, 11}, "fc1_expert_weight_bits", type),
                   quantizedProduct(context, {5, 6, 7, 12}, "fc2_expert_weight_bits", type),
                   quantizedProduct(context, {8, 9, 10, 13}, "fc3_expert_weight_bits", type)},
                  aggregate);
}

} // namespace

void registerImporter_ms_moe(ImporterRegistry& registry) {
    registry.add("com.microsoft", "MoE", importMoe);
    registry.add("com.microsoft", "QMoE", importQMoe);
}

} // namespace kiln::onnx
