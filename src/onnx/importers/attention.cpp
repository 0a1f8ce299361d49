// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Attention of operator set 23 and later: heads first, or joined in the last axis; with a mask, a
// cache of keys and values, causal rule, window and soft cap. Tools that split models write
// nbRanks: each rank has its part of the sequences, and its queries see the keys of all.
// Layer: matrix multiply, elementwise and softmax. The compiler makes one kernel of them; with
// `nbRanks`, dist collective in front.

#include "onnx/attention_formula.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <limits>
#include <numeric>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

int64_t headsOf(NodeContext& context, char const* name) {
    int64_t const heads = context.attributes().integer(name, 0);
    if (heads < 1) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute '", name, "': expected 1 or more for an input of rank 3, got ",
                          heads, "."));
    }
    return heads;
}

Term withHeads(NodeContext& context, size_t index, char const* name) {
    Term const x = Term::input(context, index);
    if (x.rank() != 3 && x.rank() != 4) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input ", index, ": expected rank 3 or 4, got ", x.dims(), "."));
    }
    return x.rank() == 4 ? x : splitHeads(x, headsOf(context, name));
}

Term collective(Term x, nvinfer1::CollectiveOperation operation, int64_t root, int32_t ranks) {
    auto* layer = x.context().network().addDistCollective(
        x.tensor(), operation, nvinfer1::ReduceOperation::kNONE, root, nullptr, 0);
    Term const result = x.of(layer);
    layer->setNbRanks(ranks);
    return result;
}

// [batch, heads, ranks * length, size] of the parts [batch, heads, length, size].
Term ofAllRanks(Term x, int32_t ranks) {
    Term const parts =
        collective(x.inserted({0}), nvinfer1::CollectiveOperation::kALL_GATHER, -1, ranks);
    Term const length = x.extent(2) * static_cast<double>(ranks);
    return parts.transposed({1, 2, 0, 3, 4})
        .reshaped(Term::joined({x.extents({0, 1}), length, x.extent(3)}, 0));
}

// How many queries are in front of those of this rank: a vector of one element.
Term queriesBefore(Term query, int32_t ranks) {
    NodeContext& context = query.context();
    std::vector<int64_t> numbers(static_cast<size_t>(ranks));
    std::iota(numbers.begin(), numbers.end(), 0);
    return query.extent(2) * collective(Term::vector(context, numbers),
                                        nvinfer1::CollectiveOperation::kSCATTER, 0, ranks);
}

int32_t ranksOf(NodeContext& context) {
    int64_t const ranks = context.attributes().integer("nbRanks", 1);
    if (ranks < 1 || ranks > 64) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'nbRanks': expected 1 to 64, got ", ranks, "."));
    }
    for (size_t const index : {size_t{4}, size_t{5}, size_t{6}}) {
        if (ranks > 1 && context.hasInput(index)) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE,
                         text("input ", index, ": expected none for ", ranks,
                              " ranks, got one. Join the cache in front of the node, and hide keys "
                              "by a mask."));
        }
    }
    return static_cast<int32_t>(ranks);
}

// A mask may be shorter than the keys: those behind it are hidden.
Term lengthened(Term mask, Term keys) {
    int32_t const axis = mask.rank() - 1;
    int64_t const own = mask.dims().d[axis];
    if (own == 1 || (own >= 0 && own == keys.dims().d[2])) {
        return mask;
    }
    NodeContext& context = mask.context();
    double const hidden = -std::numeric_limits<double>::infinity();
    double const fill = mask.type() == DataType::kBOOL ? 0.0 : hidden;
    Dims const one{1, {1}};
    auto* layer = context.network().addSlice(mask.tensor(), Dims{1, {0}}, one, one);
    Term const result = mask.of(layer);
    layer->setAxes(Dims{1, {axis}});
    layer->setMode(nvinfer1::SampleMode::kFILL);
    layer->setInput(2, keys.extent(2).tensor());
    layer->setInput(4, mask.like(fill).tensor());
    return result;
}

// Where keys are seen by position, length and window.
void hideKeys(NodeContext& context, AttentionFormula& formula, int32_t ranks) {
    auto& attributes = context.attributes();
    bool const causal = attributes.flag("is_causal", false);
    int64_t const left = attributes.integer("left_window_size", -1);
    int64_t const right = attributes.integer("right_window_size", -1);
    std::optional<Term> offset;
    std::optional<Term> lengths;
    if (context.hasInput(6)) {
        lengths = Term::input(context, 6).cast(DataType::kINT64).inserted({1, 2, 3});
        offset = *lengths - formula.query.extent(2);
    } else if (context.hasInput(4)) {
        offset = Term::input(context, 4).extent(2);
    }
    auto const also = [&](Term seen) {
        formula.seen = formula.seen ? *formula.seen && seen : seen;
    };
    if (lengths) {
        also(Term::range(formula.key.extent(2)) < *lengths);
    }
    if (!causal && left < 0 && right < 0) {
        return;
    }
    if (ranks > 1) {
        offset = queriesBefore(formula.query, ranks);
    }
    auto const [query, key] = positionsOf(formula.query, formula.key, offset);
    if (causal || right >= 0) {
        also(key <= (causal || right == 0 ? query : query + static_cast<double>(right)));
    }
    if (left >= 0) {
        also(key >= query - static_cast<double>(left));
    }
}

void setMask(NodeContext& context, AttentionFormula& formula) {
    if (!context.hasInput(3)) {
        return;
    }
    Term const mask = lengthened(Term::input(context, 3), formula.key);
    if (mask.type() == DataType::kBOOL) {
        formula.seen = mask;
    } else {
        formula.bias = mask;
    }
}

void importAttention(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const query = withHeads(context, 0, "q_num_heads");
    Term key = withHeads(context, 1, "kv_num_heads");
    Term value = withHeads(context, 2, "kv_num_heads");
    if (context.hasInput(4)) {
        key = Term::joined({Term::input(context, 4), key}, 2);
        value = Term::joined({Term::input(context, 5), value}, 2);
    }
    int32_t const ranks = ranksOf(context);
    AttentionFormula formula{query, key, value};
    if (ranks > 1) {
        formula.key = ofAllRanks(key, ranks);
        formula.value = ofAllRanks(value, ranks);
    }
    formula.scale = attributes.real("scale", 0.0F);
    formula.softcap = attributes.real("softcap", 0.0F);
    if (attributes.has("softmax_precision")) {
        auto const type = static_cast<ElementType>(
            toInt32(attributes.integer("softmax_precision", 1), "attribute 'softmax_precision'"));
        formula.softmaxType = type == ElementType::kDouble
                                  ? DataType::kFLOAT
                                  : requireDataType(type, "attribute 'softmax_precision'");
    }
    setMask(context, formula);
    hideKeys(context, formula, ranks);
    AttentionResult const result = attend(formula);
    bool const joins = context.dims(context.input(0)).nbDims == 3;
    context.setOutput(0, (joins ? joinHeads(result.output) : result.output).value());
    auto const isWanted = [&](size_t index) {
        auto const& names = context.node().outputs;
        return index < names.size() && !names[index].empty();
    };
    auto const own = [&](Term x, bool isNew) { // an output needs a tensor of its own
        return isNew ? x : x.of(context.network().addIdentity(x.tensor()));
    };
    if (isWanted(1)) {
        context.setOutput(1, own(key, context.hasInput(4)).value());
    }
    if (isWanted(2)) {
        context.setOutput(2, own(value, context.hasInput(4)).value());
    }
    if (isWanted(3)) {
        int64_t const mode = attributes.integer("qk_matmul_output_mode", 0);
        Term const chosen = mode == 0   ? result.raw
                            : mode == 1 ? result.capped
                            : mode == 2 ? result.biased
                                        : result.weights;
        context.setOutput(3, own(chosen, false).value());
    }
}

} // namespace

void registerImporter_attention(ImporterRegistry& registry) {
    registry.add("Attention", importAttention);
}

} // namespace kiln::onnx
