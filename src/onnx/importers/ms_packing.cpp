// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Batches without padding of com.microsoft: RemovePadding, RestorePadding, PackedAttention and
// PackedMultiHeadAttention. The tokens of all sequences stand one behind the other; `token_offset`
// [batch, length] has the place of each of them in the padded batch, then those of the padding.
// Source: ContribOperators.md of ONNX Runtime.
// Layer: nonzero, gather, scatter and attention. The number of tokens is known after RemovePadding
// ran.

#include "onnx/importer_registry.h"
#include "onnx/ms_attention_parts.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

Term flat(Term x) {
    return x.reshaped(std::vector<int64_t>{-1});
}

Term placesOf(Term isPlace) {
    NodeContext& context = isPlace.context();
    auto* const layer = context.network().addNonZero(isPlace.tensor());
    return flat(isPlace.of(layer)).cast(DataType::kINT64);
}

// Inputs: input [batch, length, width], sequence_token_count [batch].
void importRemovePadding(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Term const counts = Term::input(context, 1).cast(DataType::kINT64);
    Term const places = Term::range(x.extent(1)).inserted({0});
    Term const isToken = flat(places < counts.inserted({1}));
    Term const tokens = placesOf(isToken);
    Term const rows = x.reshaped(Term::joined({Term::vector(context, {-1}), x.extent(2)}, 0));
    Term const order = Term::joined({tokens, placesOf(!isToken)}, 0);
    Term const sums = Term::joined({counts.sliced(0, 0, 1) * 0.0, counts.runningSum(0)}, 0);
    context.setOutput(0, rows.gathered(tokens, 0).value());
    context.setOutput(1, order.reshaped(x.extents({0, 1})).cast(DataType::kINT32).value());
    context.setOutput(2, sums.cast(DataType::kINT32).value());
    context.setOutput(3, counts.largest({0}).cast(DataType::kINT32).value());
}

// The places of the tokens in the padded batch, as they stand in `x` [tokens, ...].
Term placesOfTokens(Term offsets, Term x) {
    Term const zero = Term::vector(x.context(), {0});
    return flat(offsets.cast(DataType::kINT64)).sliced({0}, zero, x.extent(0));
}

// Inputs: input [tokens, width], token_offset [batch, length]. Padding is 0.
void importRestorePadding(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Term const offsets = Term::input(context, 1);
    Term const extents = offsets.extents({0, 1});
    Term const count = offsets.extent(0) * offsets.extent(1);
    Term const zeros = x.like(0)
                           .reshaped(std::vector<int64_t>{1, 1})
                           .expanded(Term::joined({count, x.extent(1)}, 0));
    Term const places = placesOfTokens(offsets, x).inserted({1});
    auto* const layer = context.network().addScatter(zeros.tensor(), places.tensor(), x.tensor(),
                                                     nvinfer1::ScatterMode::kND);
    Term const rows = x.of(layer);
    context.setOutput(0, rows.reshaped(Term::joined({extents, x.extent(1)}, 0)).value());
}

// Packed tokens as sequences: [tokens, width] to [batch, length, width]; padding repeats a token.
class Sequences {
public:
    Sequences(Term offsets, Term ends, Term tokens)
        : offsets_(offsets), tokens_(tokens), shape_(offsets.extents({0, 1})) {
        Term const sums = ends.cast(DataType::kINT64);
        Term const batch = offsets.extent(0);
        NodeContext& context = offsets.context();
        Term const starts = sums.sliced({0}, Term::vector(context, {0}), batch).inserted({1});
        Term const nexts = sums.sliced({0}, Term::vector(context, {1}), batch).inserted({1});
        Term const places = Term::range(offsets.extent(1)).inserted({0});
        isToken_ = places < nexts - starts;
        Term const last = tokens.extent(0) - 1.0;
        rows_ = (starts + places).min(last.inserted({0}));
    }

    Term padded(Term x) const { return x.gathered(rows_, 0); }

    // [batch, length, width] to [tokens, width].
    Term packed(Term x) const {
        Term const rows = x.reshaped(Term::joined({shape_.product({0}), x.extent(2)}, 0));
        return rows.gathered(placesOfTokens(offsets_, tokens_), 0);
    }

    Term shownKeys() const { return isToken_.inserted({1, 2}); }

private:
    Term offsets_;
    Term tokens_;
    Term shape_;
    Term isToken_; // [batch, length]
    Term rows_;    // [batch, length]: indices of packed tokens
};

void attendPacked(NodeContext& context, Sequences const& sequences, AttentionFormula formula,
                  size_t bias) {
    formula.scale = context.attributes().real("scale", 0.0F);
    formula.seen = sequences.shownKeys();
    formula.mayHideAll = false;
    if (context.hasInput(bias)) {
        formula.bias = Term::input(context, bias);
    }
    context.setOutput(0, sequences.packed(joinHeads(attend(formula).output)).value());
}

// Inputs: input [tokens, in], weights, bias, token_offset, cumulative_sequence_length,
// attention_bias.
void importPackedAttention(NodeContext& context) {
    int64_t const heads = headsOf(context);
    Term const x = Term::input(context, 0);
    Term const all = x.matmul(Term::input(context, 1)) + Term::input(context, 2);
    int64_t const width = all.dims().d[1];
    std::vector<int64_t> const sizes = projectionSizes(context, width);
    Sequences const sequences(Term::input(context, 3), Term::input(context, 4), x);
    Term const padded = sequences.padded(all);
    auto const part = [&](int64_t start, int64_t count) {
        return splitHeads(padded.sliced(2, start, count), heads);
    };
    AttentionFormula const formula{part(0, sizes[0]), part(sizes[0], sizes[1]),
                                   part(sizes[0] + sizes[1], sizes[2])};
    attendPacked(context, sequences, formula, 5);
}

// Inputs: query [tokens, width], or [tokens, heads, 3, size] of all three; key, value, bias,
// token_offset, cumulative_sequence_length, attention_bias.
void importPackedMultiHead(NodeContext& context) {
    constexpr size_t kBias = 3;
    int64_t const heads = headsOf(context);
    Term const first = Term::input(context, 0);
    bool const isPacked = first.rank() == 4;
    Sequences const sequences(Term::input(context, 4), Term::input(context, 5), first);
    int64_t start = 0;
    auto const operand = [&](size_t index) {
        Term x = isPacked ? first.sliced(2, static_cast<int64_t>(index), 1).removed({2})
                          : Term::input(context, index);
        if (isPacked) {
            x = x.reshaped(std::vector<int64_t>{-1, x.dims().d[1] * x.dims().d[2]});
        }
        int64_t const width = x.dims().d[1];
        if (context.hasInput(kBias)) {
            x = x + Term::input(context, kBias).sliced(0, start, width);
        }
        start += width;
        return splitHeads(sequences.padded(x), heads);
    };
    Term const query = operand(0);
    Term const key = operand(1);
    attendPacked(context, sequences, AttentionFormula{query, key, operand(2)}, 6);
}

} // namespace

void registerImporter_ms_packing(ImporterRegistry& registry) {
    registry.add("com.microsoft", "RemovePadding", importRemovePadding);
    registry.add("com.microsoft", "RestorePadding", importRestorePadding);
    registry.add("com.microsoft", "PackedAttention", importPackedAttention);
    registry.add("com.microsoft", "PackedMultiHeadAttention", importPackedMultiHead);
}

} // namespace kiln::onnx
