// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "graph/ops/attention_layer.h"
#include "graph/ops/region.h"

namespace kiln::graph {

/// The operations that an attention of the API stands for: two products, a softmax, masks. Causal
/// masks are comparisons of ranges, fewer heads of keys are repeated by a slice: so the compiler
/// recognises both, for any shapes.
///
/// Packed sequences become one sequence of all tokens, whose mask lets a query see keys of its own
/// sequence only.
std::unique_ptr<Region> attentionParts(AttentionLayer const& op, InferContext const& context);

} // namespace kiln::graph
