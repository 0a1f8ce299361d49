// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "graph/ops/region.h"
#include "target/candidate.h"

namespace kiln::target {

/// What the operations of a region read from memory: an input of the region, or a slice of one.
///
/// A Slice whose only operand is an input of the region, and whose neighbours are neighbours in the
/// input, is not work: kernels read its elements where they lie, by an offset and the strides of
/// the input.
struct RegionOperand {
    int32_t value = 0;            ///< of the region
    std::size_t input = 0;        ///< of the region
    std::vector<int64_t> first{}; ///< coordinates in the input, by axis; empty: the whole input
};

/// Whether a node only says which part of an input others read.
bool isOperandSlice(graph::Region const& region, graph::Region::Node const& node);

/// The operands that other nodes read, or that are results: inputs, then slices.
std::vector<RegionOperand> regionOperands(graph::Region const& region);

/// Why operands that are slices cannot be read where they lie: they must be linear. Empty if they
/// can, or if there are none.
std::string refuseSlicedFormats(graph::Region const& region, NodeSpec const& node);

/// Where the elements of an operand lie in its input, in elements.
struct OperandStrides {
    int64_t begin = 0;
    std::array<int64_t, Dims::MAX_DIMS> along{}; ///< 0 where the operand is broadcast
};
/// `dims` and `inputDims`: extents of the operand and of its input.
OperandStrides stridesOf(RegionOperand const& operand, Dims const& dims, Dims const& inputDims);

} // namespace kiln::target
