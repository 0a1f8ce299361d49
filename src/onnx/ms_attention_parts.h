// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// What the attention operators of com.microsoft share.
#pragma once

#include "onnx/attention_formula.h"

namespace kiln::onnx {

// A number of heads; ImportError if there is none.
int64_t headsOf(NodeContext& context, char const* name = "num_heads");

// Hidden keys get a number added, as ONNX Runtime does, so that a query that sees no key is the
// average of them all.
void addFilter(NodeContext& context, AttentionFormula& formula);

// Rotates [batch, heads, length, size] by caches [longest, rotated / 2] at positions
// [batch, length].
Term rotated(Term x, Term cosCache, Term sinCache, Term positions, bool interleaved);

// A cache with new rows at `first` [batch or 1] and behind, `length` rows long.
Term updatedCache(Term past, Term update, Term first, Term length);

} // namespace kiln::onnx
