// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/region.h"
#include "targets/cuda/broadcast.h"
#include "targets/cuda/chain/chain_source.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {

/// Throws kInvalidArgument unless every value that a node of the region makes, besides slices of
/// inputs, has the shape of output 0: a kernel computes one element of each at a time.
void checkOneShape(graph::Region const& region, Workload const& workload);

/// A region of pointwise operations as one generated kernel.
struct ChainKernel {
    using Op = graph::Region;
    static constexpr bool kDenseOrder = true;

    /// Same layout as ChainArguments in kernels/chain.cuh.
    struct Arguments {
        int64_t count = 0;
        int32_t loops = 0;
        int32_t repeated = 0;
        FastDivide extents[Dims::MAX_DIMS];
        int64_t strides[kMostChainOperands][Dims::MAX_DIMS] = {};
        int64_t begins[kMostChainOperands] = {};
        FastDivide byParts;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) { return refuseChain(op, node); }
    static SourceText source(Op const& op, NodeSpec const& node) { return chainSource(op, node); }
    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments);
};

} // namespace kiln::targets::cuda
