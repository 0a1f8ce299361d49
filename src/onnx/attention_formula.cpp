// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/attention_formula.h"

#include <cmath>
#include <limits>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

// Each key head once for every query head that it serves.
Term repeatedHeads(Term x, int64_t heads) {
    int64_t const own = x.dims().d[1];
    if (own == heads || own < 1 || heads < 1) {
        return x;
    }
    NodeContext& context = x.context();
    Term const groups = Term::vector(context, {heads / own});
    Term const shape = Term::joined({x.extents({0, 1}), groups, x.extents({2, 3})}, 0);
    Term const joined =
        Term::joined({x.extent(0), Term::vector(context, {heads}), x.extents({2, 3})}, 0);
    return x.inserted({2}).expanded(shape).reshaped(joined);
}

Term scaled(Term query, float scale) {
    if (scale != 0.0F) {
        return query * scale;
    }
    int64_t const size = query.dims().d[3];
    if (size > 0) {
        return query * (1.0 / std::sqrt(static_cast<double>(size)));
    }
    return query / query.extent(3).cast(DataType::kFLOAT).sqrt().cast(query.type());
}

// The softmax with one more score, which no value belongs to.
Term softmaxWithSink(Term scores, Term sink) {
    Term const last = sink.cast(scores.type()).reshaped(std::vector<int64_t>{1, -1, 1, 1});
    Term const most = scores.largest({3}).max(last);
    Term const powers = (scores - most).exp();
    return powers / (powers.sum({3}) + (last - most).exp());
}

} // namespace

AttentionResult attend(AttentionFormula const& formula) {
    Term const& query = formula.query;
    int64_t const heads = query.dims().d[1];
    Term const key = repeatedHeads(formula.key, heads);
    Term const value = repeatedHeads(formula.value, heads);
    Term const raw = scaled(query, formula.scale).matmul(key, false, true);
    Term const capped =
        formula.softcap == 0.0F ? raw : (raw / formula.softcap).tanh() * formula.softcap;
    Term biased = formula.bias ? capped + *formula.bias : capped;
    if (formula.seen) {
        double const hidden = -std::numeric_limits<double>::infinity();
        biased = formula.seen->choose(biased, biased.like(hidden));
    }
    Term scores = formula.softmaxType ? biased.cast(*formula.softmaxType) : biased;
    scores = formula.changesScores ? formula.changesScores(scores) : scores;
    Term weights = formula.sink ? softmaxWithSink(scores, *formula.sink) : scores.softmax(3);
    bool const guards = formula.mayHideAll && (formula.seen || formula.bias);
    if (guards) {
        weights = weights.unary(nvinfer1::UnaryOperation::kISNAN).choose(weights.like(0), weights);
    }
    weights = formula.changesWeights ? formula.changesWeights(weights) : weights;
    weights = weights.cast(query.type());
    return {weights.matmul(value), raw, capped, biased, weights};
}

Term splitHeads(Term x, int64_t heads) {
    auto* layer = x.context().network().addShuffle(x.tensor());
    Term const result = x.of(layer);
    layer->setReshapeDimensions(Dims{4, {0, 0, heads, -1}});
    layer->setSecondTranspose(nvinfer1::Permutation{{0, 2, 1, 3}});
    return result;
}

Term joinHeads(Term x) {
    auto* layer = x.context().network().addShuffle(x.tensor());
    Term const result = x.of(layer);
    layer->setFirstTranspose(nvinfer1::Permutation{{0, 2, 1, 3}});
    layer->setReshapeDimensions(Dims{3, {0, 0, -1}});
    return result;
}

Positions positionsOf(Term query, Term key, std::optional<Term> offset) {
    Term const rows = Term::range(query.extent(2)).inserted({1});
    return {offset ? rows + *offset : rows, Term::range(key.extent(2))};
}

} // namespace kiln::onnx
