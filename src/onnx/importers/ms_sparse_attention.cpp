// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// SparseAttention of com.microsoft: causal attention in which a head sees some blocks of keys.
// Source: ContribOperators.md of ONNX Runtime.
// Layer: scatter, gather, matrix multiply, elementwise and softmax.

#include "onnx/importer_registry.h"
#include "onnx/ms_attention_parts.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// 1 where a row of blocks sees a column of blocks: INT32 [layouts, rows, rows], of the CSR form
// with row pointers [layouts, rows + 1] and columns [layouts, entries].
Term seenBlocks(Term pointers, Term columns) {
    NodeContext& context = pointers.context();
    Term const rows = pointers.extent(1) - 1.0;
    Term const ends = pointers.sliced({1}, Term::vector(context, {1}), rows);
    Term const entries = Term::range(columns.extent(1)).inserted({0, 1});
    // The row of an entry is the number of rows that end before it; entries behind all rows get
    // places outside, which a scatter leaves out.
    Term const isBehind = (ends.inserted({2}) <= entries).cast(DataType::kINT64);
    Term const places = isBehind.sum({1}, false) * rows.inserted({0}) + columns;
    Term const zero = Term::number(context, 0, DataType::kINT32, 2);
    Term const none = zero.expanded(Term::joined({pointers.extent(0), rows * rows}, 0));
    Term const ones = (zero + 1.0).expanded(places.shape());
    auto* const layer = context.network().addScatter(none.tensor(), places.tensor(), ones.tensor(),
                                                     nvinfer1::ScatterMode::kELEMENT);
    Term const marked = none.of(layer);
    layer->setAxis(1);
    return marked.reshaped(Term::joined({pointers.extent(0), rows, rows}, 0));
}

// Inputs: query, key, value, past_key, past_value (caches of their largest length),
// block_row_indices, block_col_indices, total_sequence_length, key_total_sequence_lengths [batch],
// cos_cache, sin_cache.
void importSparseAttention(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const heads = headsOf(context);
    int64_t const keyHeads = headsOf(context, "kv_num_heads");
    auto const blockSize = static_cast<double>(headsOf(context, "sparse_block_size"));
    Term const packed = Term::input(context, 0);
    bool const isPacked = !context.hasInput(1);
    int64_t const size = isPacked ? packed.dims().d[2] / (heads + 2 * keyHeads) : 0;
    auto const operand = [&](size_t index, int64_t start, int64_t count) {
        Term const x =
            isPacked ? packed.sliced(2, start * size, count * size) : Term::input(context, index);
        return splitHeads(x, count);
    };
    Term query = operand(0, 0, heads);
    Term key = operand(1, heads, keyHeads);
    Term value = operand(2, heads + keyHeads, keyHeads);
    Term const steps = query.extent(2);
    Term const lengths = Term::input(context, 8).cast(DataType::kINT64);
    Term const total =
        Term::input(context, 7).cast(DataType::kINT64).reshaped(std::vector<int64_t>{1});
    Term const before = (lengths - steps).max(0.0); // prompts may be padded behind
    Term const first = (total == steps).choose(before * 0.0, before);
    Term const places = first.inserted({1}) + Term::range(steps).inserted({0}); // [batch, steps]
    if (attributes.integer("do_rotary", 0) != 0) {
        bool const interleaved = attributes.integer("rotary_interleaved", 0) != 0;
        Term const cosCache = Term::input(context, 9);
        Term const sinCache = Term::input(context, 10);
        query = rotated(query, cosCache, sinCache, places, interleaved);
        key = rotated(key, cosCache, sinCache, places, interleaved);
    }
    Term const pastKey = Term::input(context, 3);
    Term const length = pastKey.extent(2);
    key = updatedCache(pastKey, key, first, length);
    value = updatedCache(Term::input(context, 4), value, first, length);

    Term const pointers = Term::input(context, 5).cast(DataType::kINT64);
    Term const keys = Term::range(length);
    Term const blocks = seenBlocks(pointers, Term::input(context, 6).cast(DataType::kINT64));
    Term seen = blocks
                    .gathered(places.floorDiv(blockSize), 1) // [layouts, batch, steps, blocks]
                    .gathered(keys.floorDiv(blockSize), 3)
                    .transposed({1, 0, 2, 3});
    std::vector<int64_t> layouts(static_cast<size_t>(heads));
    int64_t const count = pointers.dims().d[0];
    for (int64_t head = 0; head < heads; ++head) {
        layouts[static_cast<size_t>(head)] = count > 0 ? head % count : 0;
    }
    seen = seen.gathered(Term::vector(context, layouts), 1);
    AttentionFormula formula{query, key, value};
    formula.scale = attributes.real("scale", 0.0F);
    formula.seen = seen > 0.0 && keys.inserted({0, 1, 2}) <= places.inserted({1, 3});
    context.setOutput(0, joinHeads(attend(formula).output).value());
    context.setOutput(1, key.value());
    context.setOutput(2, value.value());
}

} // namespace

void registerImporter_ms_sparse_attention(ImporterRegistry& registry) {
    registry.add("com.microsoft", "SparseAttention", importSparseAttention);
}

} // namespace kiln::onnx
