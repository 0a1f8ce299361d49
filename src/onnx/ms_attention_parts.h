// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// What the attention operators of com.microsoft share.
#pragma once

#include "onnx/attention_formula.h"

#include <vector>

namespace kiln::onnx {

// A number of heads; ImportError if there is none.
int64_t headsOf(NodeContext& context, char const* name = "num_heads");

// The attribute 'qkv_hidden_sizes': the widths of queries, keys and values in a product of `width`
// columns. Default: a third each.
std::vector<int64_t> projectionSizes(NodeContext& context, int64_t width);

// Hidden keys get a number added, as ONNX Runtime does, so that a query that sees no key is the
// average of them all.
void addFilter(NodeContext& context, AttentionFormula& formula);

// Rotates [batch, heads, length, size] by caches [longest, rotated / 2] at positions
// [batch, length].
Term rotated(Term x, Term cosCache, Term sinCache, Term positions, bool interleaved);

// A cache with new rows at `first` [batch or 1] and behind, `length` rows long.
Term updatedCache(Term past, Term update, Term first, Term length);

} // namespace kiln::onnx
