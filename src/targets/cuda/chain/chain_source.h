// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/ops/region.h"
#include "target/candidate.h"
#include "target/workload/region_operands.h"
#include "targets/cuda/driver/nvrtc.h"

namespace kiln::targets::cuda {

/// Most operands that a generated kernel reads; same as in kernels/chain.cuh.
constexpr int32_t kMostChainOperands = 16;

/// Regions with as many operands have the function chain_lines: a thread computes several vectors
/// of a row, and what repeats along it once.
constexpr std::size_t kLeastLineOperands = 4;

/// Why no kernel can be generated for the region; empty if one can. All nodes must be pointwise
/// operations with results of one shape, or slices of inputs. Inputs that no node reads, which
/// belong to an anchor, are parameters that the kernel ignores.
std::string refuseChain(graph::Region const& region, target::NodeSpec const& node);

/// The kernel's source. Its functions: chain_flat (every operand is dense or one element),
/// chain_rows (the row length is a multiple of the width), chain_narrow_rows (the same for the
/// narrow width, if there are two), chain_lines (the same; for regions with
/// kLeastLineOperands), chain_elements (any other result of less than 2^31 elements) and, if some
/// result may have more, chain_wide.
SourceText chainSource(graph::Region const& region, target::NodeSpec const& node);

/// Elements of a vector.
struct ChainWidths {
    int64_t wide;   ///< 16 bytes of the narrowest result, at most 32 of the widest operand
    int64_t narrow; ///< 16 bytes of the widest operand or result
};

ChainWidths chainWidths(graph::Region const& region, std::span<target::OperandType const> inputs,
                        std::span<target::OperandType const> outputs);

} // namespace kiln::targets::cuda
