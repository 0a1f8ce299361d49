// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Attention operators of com.microsoft: MultiHeadAttention, Attention, QAttention,
// GroupQueryAttention and RotaryEmbedding. Source: ContribOperators.md of ONNX Runtime.
// Layer: matrix multiply, elementwise, softmax and rotary embedding. The compiler makes one kernel
// of attention.

#include "onnx/attention_formula.h"
#include "onnx/importer_registry.h"
#include "onnx/ms_attention_parts.h"
#include "onnx/quantized_term.h"
#include "onnx/term.h"

#include <limits>
#include <optional>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// Keys that a padding mask shows: [batch] lengths, [batch, keys], [batch, queries, keys] of 0 and
// 1, [2 * batch] ends and starts, [3 * batch + 2] lengths and ends, or the mask of rank 4.
std::optional<Term> shownKeys(NodeContext& context, size_t index, Term query, Term key) {
    if (!context.hasInput(index)) {
        return std::nullopt;
    }
    Term const mask = Term::input(context, index);
    Term const batch = query.extent(0);
    auto const bools = [](Term x) { return x.type() == DataType::kBOOL ? x : x > 0.0; };
    if (mask.rank() == 2) {
        return bools(mask).inserted({1, 2});
    }
    if (mask.rank() == 3) {
        return bools(mask).inserted({1});
    }
    if (mask.rank() == 4) {
        return bools(mask);
    }
    Term const numbers = mask.cast(DataType::kINT64);
    Term const lengths = numbers.sliced({0}, Term::vector(context, {0}), batch).inserted({1, 2, 3});
    Term const positions = Term::range(key.extent(2));
    Term shown = positions < lengths;
    int64_t const count = mask.dims().d[0];
    int64_t const items = query.dims().d[0];
    if (items > 0 && count == 2 * items) { // ends, then starts
        shown = shown && positions >= numbers.sliced(0, items, items).inserted({1, 2, 3});
    }
    return shown;
}

void addCausal(AttentionFormula& formula, std::optional<Term> offset) {
    auto const [query, key] = positionsOf(formula.query, formula.key, offset);
    Term const seen = key <= query;
    formula.seen = formula.seen ? *formula.seen && seen : seen;
}

Term biasPart(NodeContext& context, size_t index, int64_t start, int64_t count) {
    return Term::input(context, index).sliced(0, start, count);
}

// An operand [batch, length, hidden], with its part of the bias, or one with heads already.
Term projected(NodeContext& context, Term x, int64_t heads, int64_t biasStart) {
    if (x.rank() == 4) {
        return x;
    }
    constexpr size_t kBias = 3;
    int64_t const width = x.dims().d[2];
    return splitHeads(context.hasInput(kBias) ? x + biasPart(context, kBias, biasStart, width) : x,
                      heads);
}

// One of the parts of [batch, length, heads, parts, size], as [batch, heads, length, size].
Term packedPart(Term x, int64_t part) {
    return x.sliced(3, part, 1).removed({3}).transposed({0, 2, 1, 3});
}

void importMultiHeadAttention(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const heads = headsOf(context);
    Term const first = Term::input(context, 0);
    Term query = first;
    Term key;
    Term value;
    if (first.rank() == 5) {
        query = packedPart(first, 0);
        key = packedPart(first, 1);
        value = packedPart(first, 2);
    } else {
        int64_t const width = first.dims().d[2];
        query = projected(context, first, heads, 0);
        Term const second = Term::input(context, 1);
        if (second.rank() == 5) {
            key = packedPart(second, 0);
            value = packedPart(second, 1);
        } else {
            key = projected(context, second, heads, width);
            value = projected(context, Term::input(context, 2), heads, 2 * width);
        }
    }
    std::optional<Term> offset;
    if (context.hasInput(6)) {
        offset = Term::input(context, 6).extent(2);
        key = Term::joined({Term::input(context, 6), key}, 2);
        value = Term::joined({Term::input(context, 7), value}, 2);
    }
    AttentionFormula formula{query, key, value};
    formula.scale = attributes.real("scale", 0.0F);
    formula.seen = shownKeys(context, 4, query, key);
    if (context.hasInput(5)) {
        formula.bias = Term::input(context, 5);
    }
    if (attributes.integer("unidirectional", 0) != 0) {
        addCausal(formula, offset);
    }
    addFilter(context, formula);
    AttentionResult const result = attend(formula);
    context.setOutput(0, joinHeads(result.output).value());
    context.setOutput(1, key.value());
    context.setOutput(2, value.value());
    context.setOutput(3, result.weights.value());
}

struct Places { // of optional inputs
    size_t mask;
    size_t past;
    size_t bias;
};

// Queries, keys and values are one product with the input: [batch, length, their widths].
void attendProjected(NodeContext& context, Term all, Places places) {
    auto& attributes = context.attributes();
    int64_t const heads = headsOf(context);
    int64_t const width = all.dims().d[2];
    std::vector<int64_t> const sizes = projectionSizes(context, width);
    Term const query = splitHeads(all.sliced(2, 0, sizes[0]), heads);
    Term key = splitHeads(all.sliced(2, sizes[0], sizes[1]), heads);
    Term value = splitHeads(all.sliced(2, sizes[0] + sizes[1], sizes[2]), heads);
    std::optional<Term> offset;
    if (context.hasInput(places.past)) {
        Term const past = Term::input(context, places.past);
        offset = past.extent(3);
        key = Term::joined({past.sliced(0, 0, 1).removed({0}), key}, 2);
        value = Term::joined({past.sliced(0, 1, 1).removed({0}), value}, 2);
    }
    AttentionFormula formula{query, key, value};
    formula.scale = attributes.real("scale", 0.0F);
    formula.seen = shownKeys(context, places.mask, query, key);
    if (context.hasInput(places.bias)) {
        formula.bias = Term::input(context, places.bias);
    }
    if (attributes.integer("unidirectional", 0) != 0) {
        addCausal(formula, offset);
    }
    addFilter(context, formula);
    context.setOutput(0, joinHeads(attend(formula).output).value());
    if (context.outputs().size() > 1) {
        context.setOutput(1, Term::joined({key.inserted({0}), value.inserted({0})}, 0).value());
    }
}

void importMsAttention(NodeContext& context) {
    if (context.attributes().integer("do_rotary", 0) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'do_rotary': expected 0. Use RotaryEmbedding.");
    }
    Term all = Term::input(context, 0).matmul(Term::input(context, 1));
    if (context.hasInput(2)) {
        all = all + Term::input(context, 2);
    }
    attendProjected(context, all, {3, 4, 5});
}

// Inputs: input, weight, bias, input scale, weight scale, mask, input zero, weight zero, past.
void importQAttention(NodeContext& context) {
    auto const zero = [&](size_t index) {
        return context.hasInput(index) ? std::optional(Term::input(context, index)) : std::nullopt;
    };
    Term const x = dequantized(Term::input(context, 0), Term::input(context, 3), zero(6), 2);
    Term const weights = dequantized(Term::input(context, 1), Term::input(context, 4), zero(7), 1);
    attendProjected(context, x.matmul(weights) + Term::input(context, 2), {5, 8, 99});
}

// Inputs: input, position_ids ([1] offset or [batch, length]), cos_cache, sin_cache.
void importMsRotary(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = Term::input(context, 0);
    Term const cosCache = Term::input(context, 2);
    attributes.integer("is_packed_batching", 0);
    attributes.integer("rotary_embedding_dim", 0); // the width of the caches says it
    attributes.real("scale", 1.0F);
    bool const hasHeads = x.rank() == 4;
    int64_t heads = attributes.integer("num_heads", 0);
    if (!hasHeads && heads == 0) { // the whole head is rotated
        int64_t const half = cosCache.dims().d[1];
        if (cosCache.rank() != 2 || half < 1) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("input 2 (cos_cache): expected [longest, size / 2], got ",
                              cosCache.dims(), "."));
        }
        heads = x.dims().d[2] / (half * 2);
    }
    Term const data = hasHeads ? x : splitHeads(x, heads);
    Term positions = Term::input(context, 1).cast(DataType::kINT64);
    if (positions.rank() == 1) {
        Term const steps = Term::range(data.extent(2)).inserted({0});
        positions = (positions.inserted({1}) + steps).expanded(data.extents({0, 2}));
    }
    Term const result = rotated(data, cosCache, Term::input(context, 3), positions,
                                attributes.integer("interleaved", 0) != 0);
    context.setOutput(0, (hasHeads ? result : joinHeads(result)).value());
}

// Inputs: query, key, value, past_key, past_value, seqlens_k (total length - 1 of each sequence),
// total_sequence_length, cos_cache, sin_cache, position_ids, attention_bias, head_sink.
void importGroupQueryAttention(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const heads = headsOf(context);
    int64_t const keyHeads = headsOf(context, "kv_num_heads");
    Term const packed = Term::input(context, 0);
    Term query = packed;
    Term key;
    Term value;
    if (context.hasInput(1)) {
        query = splitHeads(packed, heads);
        key = splitHeads(Term::input(context, 1), keyHeads);
        value = splitHeads(Term::input(context, 2), keyHeads);
    } else {
        int64_t const size = packed.dims().d[2] / (heads + 2 * keyHeads);
        query = splitHeads(packed.sliced(2, 0, heads * size), heads);
        key = splitHeads(packed.sliced(2, heads * size, keyHeads * size), keyHeads);
        value = splitHeads(packed.sliced(2, (heads + keyHeads) * size, keyHeads * size), keyHeads);
    }
    Term const steps = query.extent(2);
    Term const lengths =
        Term::input(context, 5).cast(DataType::kINT64).reshaped(std::vector<int64_t>{-1}) + 1;
    Term const total =
        Term::input(context, 6).cast(DataType::kINT64).reshaped(std::vector<int64_t>{1});
    // A first prompt may be padded behind, so that its lengths are below the number of steps.
    Term const before = (lengths - steps).max(0.0);
    Term const first = (total == steps).choose(before * 0.0, before);
    if (attributes.integer("do_rotary", 0) != 0) {
        Term const positions = context.hasInput(9)
                                   ? Term::input(context, 9)
                                   : first.inserted({1}) + Term::range(steps).inserted({0});
        bool const interleaved = attributes.integer("rotary_interleaved", 0) != 0;
        Term const cosCache = Term::input(context, 7);
        Term const sinCache = Term::input(context, 8);
        query = rotated(query, cosCache, sinCache, positions, interleaved);
        key = rotated(key, cosCache, sinCache, positions, interleaved);
    }
    if (context.hasInput(3)) {
        Term const pastKey = Term::input(context, 3);
        Term const length = pastKey.extent(2).max(total);
        key = updatedCache(pastKey, key, first, length);
        value = updatedCache(Term::input(context, 4), value, first, length);
    }
    AttentionFormula formula{query, key, value};
    formula.scale = attributes.real("scale", 0.0F);
    formula.softcap = attributes.real("softcap", 0.0F);
    auto const [rows, keys] = positionsOf(query, key, first.inserted({1, 2, 3}));
    formula.seen = keys <= rows;
    int64_t const window = attributes.integer("local_window_size", -1);
    if (window > 0) {
        formula.seen = *formula.seen && keys > rows - static_cast<double>(window);
    }
    if (context.hasInput(10)) {
        formula.bias = Term::input(context, 10);
    }
    if (context.hasInput(11)) {
        formula.sink = Term::input(context, 11);
    } else if (attributes.integer("smooth_softmax", 0) == 1) {
        formula.sink = Term::number(context, 0, DataType::kFLOAT, 1);
    }
    formula.mayHideAll = false;
    context.setOutput(0, joinHeads(attend(formula).output).value());
    context.setOutput(1, key.value());
    context.setOutput(2, value.value());
}

} // namespace

void registerImporter_ms_attention(ImporterRegistry& registry) {
    registry.add("com.microsoft", "MultiHeadAttention", importMultiHeadAttention);
    registry.add("com.microsoft", "Attention", importMsAttention);
    registry.add("com.microsoft", "QAttention", importQAttention);
    registry.add("com.microsoft", "RotaryEmbedding", importMsRotary);
    registry.add("com.microsoft", "GroupQueryAttention", importGroupQueryAttention);
}

} // namespace kiln::onnx
