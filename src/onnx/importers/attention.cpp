// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Attention of operator set 23 and later: heads first, or joined in the last axis; with a mask, a
// cache of keys and values, causal rule, window and soft cap.
// Layer: matrix multiply, elementwise and softmax. The compiler makes one kernel of them.

#include "onnx/attention_formula.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <limits>

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
void hideKeys(NodeContext& context, AttentionFormula& formula) {
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
    AttentionFormula formula{query, key, value};
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
    hideKeys(context, formula);
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
