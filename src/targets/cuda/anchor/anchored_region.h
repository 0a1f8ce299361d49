// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/ops/region.h"
#include "target/candidate.h"

namespace kiln::targets::cuda {

/// Why the region is no anchor (a product or a window) with pointwise operations behind it that
/// end in one result; empty if it is.
std::string refuseUnlessAnchored(graph::Region const& region);

/// Why the values of the anchor and behind it, at the optimum shapes, do not all have shape and
/// type of the result; empty if they do.
std::string refuseUnlessUniform(graph::Region const& region, target::NodeSpec const& node);

/// The pointwise operations behind the anchor, as a region. Values keep their numbers: the anchor's
/// becomes the last input.
std::unique_ptr<graph::Region> behindAnchor(graph::Region const& region);

/// One operation behind the anchor, in a chain in which each operation reads the value before it.
struct ChainStep {
    graph::Op const* op = nullptr;
    int32_t operand = -1;      ///< the region's input that is the other operand; -1: none
    bool operandFirst = false; ///< the other operand comes first: operand - value
    bool twice = false;        ///< both operands are the value
};

/// The steps; empty if the operations are no such chain.
std::vector<ChainStep> stepsBehindAnchor(graph::Region const& region);

/// The operands of the anchor, taken from those of the region.
template <typename T>
std::vector<T> anchorOperands(graph::Region const& region, std::span<T const> inputs) {
    std::vector<T> operands;
    for (int32_t const input : region.nodes().front().inputs) {
        operands.push_back(inputs[static_cast<std::size_t>(input)]);
    }
    return operands;
}

} // namespace kiln::targets::cuda
