// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Attention of one new token of com.microsoft: DecoderMaskedMultiHeadAttention and
// DecoderMaskedSelfAttention, without beams. Source: ContribOperators.md of ONNX Runtime.
// Layer: matrix multiply, elementwise, softmax and scatter. Without `beam_width` and
// `cache_indirection`.

#include "onnx/importer_registry.h"
#include "onnx/ms_attention_parts.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::SampleMode;

namespace {

// Positions of optional inputs.
struct DecoderPlaces {
    size_t mask;
    size_t bias;
    size_t pastLength;
    size_t beams;
};

void expectNoBeams(NodeContext& context, DecoderPlaces places) {
    for (size_t i = places.beams; i < places.beams + 2; ++i) {
        if (context.hasInput(i)) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE,
                         text("input ", i,
                              ": expected no beams, got some. Export the model for "
                              "greedy search or sampling."));
        }
    }
}

// Numbers for `count` keys; those behind the given ones are 0.
Term widened(Term x, int32_t axis, Term count) {
    return x.sliced({axis}, Term::vector(x.context(), {0}), count, SampleMode::kFILL);
}

void addMasks(NodeContext& context, AttentionFormula& formula, DecoderPlaces places) {
    Term const keys = formula.key.extent(2);
    if (context.hasInput(places.mask)) {
        Term const mask = Term::input(context, places.mask);
        if (mask.rank() != 2) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                         text("mask_index: expected [batch, keys], got ", mask.dims(), "."));
        }
        formula.seen = widened(mask.cast(DataType::kINT32), 1, keys).inserted({1, 2}) > 0.0;
    }
    if (context.hasInput(places.bias)) {
        formula.bias = widened(Term::input(context, places.bias), 3, keys);
    }
    addFilter(context, formula);
}

struct Caches {
    Term key;
    Term value;
};

// Writes the new key and value behind the others of the caches, or joins them; keys behind are
// hidden.
Caches attendCached(NodeContext& context, AttentionFormula& formula, Caches past,
                    DecoderPlaces places) {
    bool const isBuffer = context.attributes().flag("past_present_share_buffer", false);
    if (!isBuffer) {
        formula.key = Term::joined({past.key, formula.key}, 2);
        formula.value = Term::joined({past.value, formula.value}, 2);
        addMasks(context, formula, places);
        return {formula.key, formula.value};
    }
    if (!context.hasInput(places.pastLength)) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input ", places.pastLength,
                          " (past_sequence_length): expected one beside a shared buffer, got "
                          "none."));
    }
    Term const before = Term::input(context, places.pastLength)
                            .cast(DataType::kINT64)
                            .reshaped(std::vector<int64_t>{1});
    Term const length = past.key.extent(2);
    formula.key = updatedCache(past.key, formula.key, before, length);
    formula.value = updatedCache(past.value, formula.value, before, length);
    addMasks(context, formula, places);
    formula.seen = (Term::range(length) <= before).inserted({0, 1, 2});
    return {formula.key, formula.value};
}

// Inputs: query, key, value, mask_index, attention_bias, past_key, past_value,
// past_sequence_length, beam_width, cache_indirection, bias. Keys with heads are those of an
// encoder, which are all there.
void importMultiHead(NodeContext& context) {
    constexpr DecoderPlaces kPlaces{3, 4, 7, 8};
    constexpr size_t kBias = 10;
    expectNoBeams(context, kPlaces);
    int64_t const heads = headsOf(context);
    int64_t start = 0;
    auto const operand = [&](size_t index) {
        Term x = Term::input(context, index);
        if (x.rank() == 4) {
            return x;
        }
        int64_t const width = x.dims().d[2];
        if (context.hasInput(kBias)) {
            x = x + Term::input(context, kBias).sliced(0, start, width);
        }
        start += width;
        return splitHeads(x, heads);
    };
    if (!context.hasInput(1)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     "input 1 (key): expected one, got packed queries, keys and values.");
    }
    Term const query = operand(0);
    Term const key = operand(1);
    AttentionFormula formula{query, key, operand(2)};
    formula.scale = context.attributes().real("scale", 0.0F);
    formula.mayHideAll = false;
    Caches present{formula.key, formula.value};
    if (context.hasInput(5)) {
        Caches const past{Term::input(context, 5), Term::input(context, 6)};
        present = attendCached(context, formula, past, kPlaces);
    } else {
        addMasks(context, formula, kPlaces);
    }
    AttentionResult const result = attend(formula);
    context.setOutput(0, joinHeads(result.output).value());
    context.setOutput(1, present.key.value());
    context.setOutput(2, present.value.value());
    context.setOutput(3, result.biased.value());
}

// Inputs: input, weights, bias, mask_index, past, attention_bias, past_sequence_length, beam_width,
// cache_indirection.
void importSelf(NodeContext& context) {
    constexpr DecoderPlaces kPlaces{3, 5, 6, 7};
    expectNoBeams(context, kPlaces);
    if (context.attributes().integer("do_rotary", 0) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'do_rotary': expected 0. Use RotaryEmbedding.");
    }
    int64_t const heads = headsOf(context);
    Term const all =
        Term::input(context, 0).matmul(Term::input(context, 1)) + Term::input(context, 2);
    int64_t const width = all.dims().d[2] / 3;
    auto const part = [&](int64_t i) { return splitHeads(all.sliced(2, i * width, width), heads); };
    AttentionFormula formula{part(0), part(1), part(2)};
    formula.scale = context.attributes().real("scale", 0.0F);
    formula.mayHideAll = false;
    Term const past = Term::input(context, 4);
    Caches const halves{past.sliced(0, 0, 1).removed({0}), past.sliced(0, 1, 1).removed({0})};
    Caches const present = attendCached(context, formula, halves, kPlaces);
    context.setOutput(0, joinHeads(attend(formula).output).value());
    context.setOutput(
        1, Term::joined({present.key.inserted({0}), present.value.inserted({0})}, 0).value());
}

} // namespace

void registerImporter_ms_decoder_attention(ImporterRegistry& registry) {
    registry.add("com.microsoft", "DecoderMaskedMultiHeadAttention", importMultiHead);
    registry.add("com.microsoft", "DecoderMaskedSelfAttention", importSelf);
}

} // namespace kiln::onnx
