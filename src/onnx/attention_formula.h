// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Attention as products and a softmax, in the forms that the compiler makes one kernel of.
#pragma once

#include "onnx/term.h"

#include <functional>
#include <optional>

namespace kiln::onnx {

struct AttentionFormula {
    Term query;      // [batch, heads, queries, size]
    Term key;        // [batch, key heads, keys, size]; key heads divide heads
    Term value;      // [batch, key heads, keys, value size]
    float scale = 0; // 0: 1 / sqrt(size)
    float softcap = 0;
    std::optional<Term> seen{}; // BOOL, broadcast to the scores: false hides a key
    std::optional<Term> bias{}; // added to the scores
    std::optional<Term> sink{}; // [heads]: the score of a key without value
    bool mayHideAll = true;     // a query that sees no key gets zeros
    std::optional<nvinfer1::DataType> softmaxType{};
    std::function<Term(Term)> changesScores{};  // in front of the softmax
    std::function<Term(Term)> changesWeights{}; // behind it
};

struct AttentionResult {
    Term output;  // [batch, heads, queries, value size]
    Term raw;     // scores after the scale,
    Term capped;  // after the cap,
    Term biased;  // with bias and hidden keys,
    Term weights; // after the softmax
};

AttentionResult attend(AttentionFormula const& formula);

// [batch, heads, length, size] of [batch, length, heads * size], and back.
Term splitHeads(Term x, int64_t heads);
Term joinHeads(Term x);

// Whether key j, counted from the first one, may be seen by query i at position i + offset: INT64
// positions, [..., queries, 1] and [keys].
struct Positions {
    Term query;
    Term key;
};
Positions positionsOf(Term query, Term key, std::optional<Term> offset);

} // namespace kiln::onnx
