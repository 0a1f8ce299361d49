// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Rotary embeddings of com.microsoft beside RotaryEmbedding: MRotaryEmbedding, whose positions are
// of time, height and width, and GemmaRotaryEmbedding. Source: ContribOperators.md of ONNX Runtime.
// Layer: gather, elementwise and concatenation.

#include "onnx/attention_formula.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// Which of the three positions each column of the caches follows.
std::vector<int64_t> streamsOf(NodeContext& context, int64_t columns) {
    auto& attributes = context.attributes();
    auto const sections = attributes.integers("mrope_section", {});
    int64_t const layout = attributes.integer("mrope_layout", 0);
    bool fits = sections.size() == 3 && (layout == 0 || layout == 1);
    int64_t sum = 0;
    for (int64_t const section : sections) {
        fits = fits && section >= 0 && section <= columns;
        sum += fits ? section : 0;
    }
    if (!fits || sum != columns) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("expected a mrope_section of 3 numbers with the sum ", columns,
                          " and a mrope_layout of 0 or 1, got ", sections, " and ", layout, "."));
    }
    std::vector<int64_t> streams(static_cast<size_t>(columns), 0);
    for (int64_t i = 0; i < columns; ++i) {
        int64_t const third = i % 3;
        bool const isOther = third != 0 && i < sections[static_cast<size_t>(third)] * 3;
        int64_t const chunk = i < sections[0] ? 0 : i < sections[0] + sections[1] ? 1 : 2;
        streams[static_cast<size_t>(i)] = layout == 0 ? chunk : isOther ? third : 0;
    }
    return streams;
}

// The rows of a cache at the positions [3, batch, length], each column from its stream:
// [batch, 1, length, columns].
Term rowsOf(Term cache, Term positions, std::vector<int64_t> const& streams) {
    NodeContext& context = cache.context();
    Term const all = cache.gathered(positions, 0); // [3, batch, length, columns]
    Term const which = Term::vector(context, streams).inserted({0, 1, 2});
    Term result = all.sliced(0, 0, 1);
    for (int64_t stream = 1; stream < 3; ++stream) {
        result = (which == static_cast<double>(stream)).choose(all.sliced(0, stream, 1), result);
    }
    return result.removed({0}).inserted({1});
}

Term rotated(Term x, Term cosines, Term sines, int64_t half, bool interleaved) {
    int32_t const last = x.rank() - 1;
    if (!interleaved) {
        Term const a = x.sliced(last, 0, half);
        Term const b = x.sliced(last, half, half);
        return Term::joined({a * cosines - b * sines, b * cosines + a * sines}, last);
    }
    Term const extents =
        Term::joined({x.extents(axesBetween(0, last)), Term::vector(x.context(), {half, 2})}, 0);
    Term const pairs = x.reshaped(extents);
    Term const a = pairs.sliced(last + 1, 0, 1).removed({last + 1});
    Term const b = pairs.sliced(last + 1, 1, 1).removed({last + 1});
    Term const first = (a * cosines - b * sines).inserted({last + 1});
    Term const second = (b * cosines + a * sines).inserted({last + 1});
    return Term::joined({first, second}, last + 1).reshaped(x.shape());
}

// Inputs: x, positions [3, batch, length], caches [longest, columns].
void importMRotary(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = Term::input(context, 0);
    Term const cosCache = Term::input(context, 2);
    int64_t const half = cosCache.rank() == 2 ? cosCache.dims().d[1] : -1;
    attributes.integer("rotary_embedding_dim", 0); // the width of the caches says it
    attributes.integer("is_packed_batching", 0);
    attributes.real("scale", 1.0F);
    bool const hasHeads = x.rank() == 4;
    int64_t heads = attributes.integer("num_heads", 0);
    if (half < 1 || (!hasHeads && x.rank() != 3)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("expected an input of rank 3 or 4 and caches [longest, size / 2], got ",
                          x.dims(), " and ", cosCache.dims(), "."));
    }
    heads = heads > 0 || hasHeads ? heads : x.dims().d[2] / (half * 2);
    Term const data = hasHeads ? x : splitHeads(x, heads);
    std::vector<int64_t> const streams = streamsOf(context, half);
    Term const positions = Term::input(context, 1).cast(DataType::kINT64);
    Term const cosines = rowsOf(cosCache, positions, streams);
    Term const sines = rowsOf(Term::input(context, 3), positions, streams);
    int64_t const size = data.dims().d[3];
    Term result = rotated(data.sliced(3, 0, half * 2), cosines, sines, half,
                          attributes.flag("interleaved", false));
    if (size != half * 2) {
        result = Term::joined({result, data.sliced(3, half * 2, size - half * 2)}, 3);
    }
    context.setOutput(0, (hasHeads ? result : joinHeads(result)).value());
}

// Inputs: angles [batch, length, size], and queries and keys, each also with halves exchanged.
void importGemmaRotary(NodeContext& context) {
    Term const angles = Term::input(context, 0);
    for (size_t i = 0; i < 2; ++i) {
        Term const x = Term::input(context, 1 + 2 * i);
        Term const halves = Term::input(context, 2 + 2 * i);
        Term const cosines = angles.cos().cast(x.type()).inserted({1});
        Term const sines = angles.sin().cast(x.type()).inserted({1});
        context.setOutput(i, (x * cosines + halves * sines).value());
    }
}

} // namespace

void registerImporter_ms_rotary(ImporterRegistry& registry) {
    registry.add("com.microsoft", "MRotaryEmbedding", importMRotary);
    registry.add("com.microsoft", "GemmaRotaryEmbedding", importGemmaRotary);
}

} // namespace kiln::onnx
