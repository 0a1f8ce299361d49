// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// RelativePositionBias of com.microsoft: a learned number for each head and bucket of distances, as
// in T5; and GatedRelativePositionBias, which scales such a bias by gates of the queries (WavLM).
// Source: Raffel et al. (https://arxiv.org/abs/1910.10683); ContribOperators.md of ONNX Runtime.
// Layer: fill, gather and elementwise.

#include "onnx/attention_formula.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <cmath>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

Term lengthOf(NodeContext& context, size_t index) {
    return Term::input(context, index).cast(DataType::kINT64).reshaped(std::vector<int64_t>{1});
}

// Small distances have a bucket each; larger ones share buckets that grow.
Term bucketsOf(Term distance, int64_t count, int64_t farthest, bool bothWays) {
    int64_t const perSide = bothWays ? count / 2 : count;
    int64_t const exact = perSide / 2;
    Term const back = bothWays ? distance.abs() : (-distance).max(0.0);
    double const span = std::log(static_cast<double>(farthest) / static_cast<double>(exact));
    Term const ratio = back.max(1.0).cast(DataType::kFLOAT) / static_cast<double>(exact);
    Term const far =
        (ratio.log() / span * static_cast<double>(perSide - exact)).cast(DataType::kINT64) +
        static_cast<double>(exact);
    Term const bucket =
        (back < static_cast<double>(exact)).choose(back, far.min(static_cast<double>(perSide - 1)));
    Term const side = (distance > 0.0).cast(DataType::kINT64) * static_cast<double>(perSide);
    return bothWays ? bucket + side : bucket;
}

// Inputs: the table [buckets, heads], the numbers of queries and keys.
void importRelativeBias(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const table = Term::input(context, 0);
    int64_t const count = table.rank() == 2 ? table.dims().d[0] : -1;
    int64_t const farthest = attributes.integer("max_distance", 0);
    bool const bothWays = attributes.flag("is_bidirectional", false);
    int64_t const exact = (bothWays ? count / 2 : count) / 2;
    if (exact < 1 || farthest <= exact || farthest >= kFarthest) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected a table [buckets, heads] and a max_distance above ", exact,
                          ", got ", table.dims(), " and ", farthest, "."));
    }
    Term const queries = Term::range(lengthOf(context, 1)).inserted({1});
    Term const keys = Term::range(lengthOf(context, 2)).inserted({0});
    Term const buckets = bucketsOf(keys - queries, count, farthest, bothWays);
    // Memory has the numbers of a head side by side, whatever the shape says.
    Term const byHead = table.gathered(buckets, 0).transposed({2, 0, 1});
    context.setOutput(0, byHead.inserted({0}).value());
}

// Inputs: queries [batch, length, width], their bias [width], the bias [1, heads, length, length],
// weights [size, parts], bias [parts] and factors [1, heads, 1, 1] of the gates.
void importGatedBias(NodeContext& context) {
    int64_t const heads = context.attributes().integer("num_heads", 0);
    Term const given = Term::input(context, 0);
    if (context.hasInput(6) || given.rank() != 3 || heads < 1) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("expected queries [batch, length, width] without token_offset and a ",
                          "num_heads of 1 or more, got ", given.dims(), " and ", heads, "."));
    }
    Term const query = splitHeads(given + Term::input(context, 1), heads);
    Term const gates = query.matmul(Term::input(context, 3)) + Term::input(context, 4);
    int64_t const half = gates.dims().d[3] / 2;
    auto const gate = [&](int64_t part) {
        return gates.sliced(3, part * half, half).sum({3}).sigmoid();
    };
    Term const factor = gate(0) * (gate(1) * Term::input(context, 5) - 1.0) + 2.0;
    context.setOutput(0, (factor * Term::input(context, 2)).value());
}

} // namespace

void registerImporter_relative_bias(ImporterRegistry& registry) {
    registry.add("com.microsoft", "RelativePositionBias", importRelativeBias);
    registry.add("com.microsoft", "GatedRelativePositionBias", importGatedBias);
}

} // namespace kiln::onnx
