// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// LinearAttention: a state [batch, key heads, key size, value size] that each step changes and the
// query reads. Rules: linear, gated, delta and gated_delta.
// Layer: loop and elementwise.

#include "onnx/attention_formula.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <cmath>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

struct Rule {
    bool gated;
    bool delta;
};

Rule ruleOf(NodeContext& context) {
    std::string const name = context.attributes().string("update_rule", "gated_delta");
    if (name != "linear" && name != "gated" && name != "delta" && name != "gated_delta") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'update_rule': '", name, "' is not known."));
    }
    return {name == "gated" || name == "gated_delta", name == "delta" || name == "gated_delta"};
}

// [length, batch, heads, width] in FLOAT of [batch, length, heads * width].
Term steps(Term x, int64_t heads) {
    return splitHeads(x.cast(DataType::kFLOAT), heads).transposed({2, 0, 1, 3});
}

void importLinearAttention(NodeContext& context) {
    auto& attributes = context.attributes();
    Rule const rule = ruleOf(context);
    int64_t const heads = attributes.integer("q_num_heads", 0);
    int64_t const own = attributes.integer("kv_num_heads", 0);
    attributes.integer("chunk_size", 0);
    Term const input = Term::input(context, 0);
    int64_t const width = input.dims().d[2];
    if (heads < 1 || own < 1 || heads % own != 0 || width < heads) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected q_num_heads to be a multiple of kv_num_heads, got ", heads,
                          " and ", own, "."));
    }
    float const given = attributes.real("scale", 0.0F);
    double const scale = given != 0.0F ? static_cast<double>(given)
                                       : 1.0 / std::sqrt(static_cast<double>(width / heads));
    Term const query = steps(input, heads);
    Term const key = steps(Term::input(context, 1), own);
    Term const value = steps(Term::input(context, 2), own);
    Term const shape = Term::joined({key.extents({1, 2, 3}), value.extent(3)}, 0);
    Term const first = context.hasInput(3)
                           ? Term::input(context, 3).cast(DataType::kFLOAT)
                           : Term::number(context, 0, DataType::kFLOAT).expanded(shape);
    auto& loop = *context.network().addLoop();
    Term const count = query.extent(0).reshaped(std::vector<int64_t>{});
    loop.addTripLimit(count.tensor(), nvinfer1::TripLimit::kCOUNT);
    auto const each = [&](Term x) { return x.of(loop.addIterator(x.tensor(), 0, false)); };
    auto* recurrence = loop.addRecurrence(first.tensor());
    Term const before = query.of(recurrence);
    Term const column = each(key).inserted({3}); // [batch, heads, size, 1]
    Term row = each(value).inserted({2});
    Term state = before;
    if (rule.gated) {
        state = state * each(steps(Term::input(context, 4), own)).inserted({3}).exp();
    }
    if (rule.delta) {
        Term const rates = Term::input(context, 5);
        int64_t const groups = rates.dims().d[2];
        Term const rate = each(steps(rates, groups)).inserted({3});
        row = (row - column.matmul(state, true, false)) * rate;
    }
    Term const after = state + column * row;
    recurrence->setInput(1, after.tensor());
    Term read = after;
    if (heads != own) {
        Term const groups = Term::vector(context, {heads / own});
        Term const wide = Term::joined({after.extents({0, 1}), groups, after.extents({2, 3})}, 0);
        Term const all = Term::joined(
            {after.extent(0), Term::vector(context, {heads}), after.extents({2, 3})}, 0);
        read = after.inserted({2}).expanded(wide).reshaped(all);
    }
    Term const seen = (each(query) * scale).inserted({2}).matmul(read).removed({2});
    auto* outputs = loop.addLoopOutput(seen.tensor(), nvinfer1::LoopOutput::kCONCATENATE, 0);
    outputs->setInput(1, count.tensor());
    Term const all = query.of(outputs).transposed({1, 2, 0, 3}); // heads in front of steps
    context.setOutput(0, joinHeads(all).cast(input.type()).value());
    Term const last =
        query.of(loop.addLoopOutput(before.tensor(), nvinfer1::LoopOutput::kLAST_VALUE, 0));
    DataType const type =
        context.hasInput(3) ? NodeContext::typeOf(context.input(3)) : input.type();
    context.setOutput(1, last.cast(type).value());
}

// com.microsoft: that of the standard, if states are those of the last step.
void importMsLinearAttention(NodeContext& context) {
    if (context.attributes().integer("state_window", 0) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'state_window': expected 0, the state of the last step.");
    }
    importLinearAttention(context);
}

} // namespace

void registerImporter_linear_attention(ImporterRegistry& registry) {
    registry.add("LinearAttention", importLinearAttention);
    registry.add("com.microsoft", "LinearAttention", importMsLinearAttention);
}

} // namespace kiln::onnx
