// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/ms_attention_parts.h"

#include <algorithm>

namespace kiln::onnx {

// Of a file from anywhere: more heads than models have.
constexpr int64_t kMostHeads = 65536;

int64_t headsOf(NodeContext& context, char const* name) {
    int64_t const heads = context.attributes().integer(name, 0);
    if (heads < 1 || heads > kMostHeads) {
        context.fail(ErrorCode::kINVALID_NODE, text("attribute '", name, "': expected 1 to ",
                                                    kMostHeads, ", got ", heads, "."));
    }
    return heads;
}

std::vector<int64_t> projectionSizes(NodeContext& context, int64_t width) {
    std::vector<int64_t> const sizes =
        context.attributes().integers("qkv_hidden_sizes", {width / 3, width / 3, width / 3});
    bool const fit = std::all_of(sizes.begin(), sizes.end(),
                                 [&](int64_t size) { return size >= 0 && size <= width; });
    if (sizes.size() != 3 || !fit || sizes[0] + sizes[1] + sizes[2] != width) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'qkv_hidden_sizes': expected 3 sizes with the sum ", width,
                          ", got ", sizes, "."));
    }
    return sizes;
}

void addFilter(NodeContext& context, AttentionFormula& formula) {
    float const filter = context.attributes().real("mask_filter_value", -10000.0F);
    if (!formula.seen) {
        return;
    }
    Term const zero = formula.query.like(0);
    Term const mask = formula.seen->choose(zero, zero.like(filter));
    formula.bias = formula.bias ? *formula.bias + mask : mask;
    formula.seen.reset();
    formula.mayHideAll = false;
}

Term rotated(Term x, Term cosCache, Term sinCache, Term positions, bool interleaved) {
    int64_t const half = cosCache.dims().d[1];
    auto* layer = x.context().network().addRotaryEmbedding(
        x.tensor(), cosCache.tensor(), sinCache.tensor(), interleaved,
        half * 2 == x.dims().d[3] ? 0 : toInt32(half * 2, "cos_cache"));
    Term const result = x.of(layer);
    layer->setInput(3, positions.tensor());
    return result;
}

Term updatedCache(Term past, Term update, Term first, Term length) {
    NodeContext& context = past.context();
    Term const longer =
        past.sliced({2}, Term::vector(context, {0}), length, nvinfer1::SampleMode::kFILL);
    Term const rows = first.inserted({1, 2, 3}) + Term::range(update.extent(2)).inserted({0, 1, 3});
    auto* layer =
        context.network().addScatter(longer.tensor(), rows.expanded(update.shape()).tensor(),
                                     update.tensor(), nvinfer1::ScatterMode::kELEMENT);
    Term const result = past.of(layer);
    layer->setAxis(2);
    return result;
}

} // namespace kiln::onnx
