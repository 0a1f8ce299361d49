// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax along one axis; see kernels/softmax.cuh.
#include "graph/ops/softmax.h"

#include <algorithm>
#include <bit>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct SoftMaxArguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int32_t lanes;
};

/// The smallest power of two that is at least `value`.
int64_t powerOfTwo(int64_t value) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

struct SoftMaxKernel {
    using Op = graph::SoftMax;
    using Arguments = SoftMaxArguments;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("softmax", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        int32_t const axis = op.axisFor(dims.nbDims);
        arguments = {1, 1, 1, 1};
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            (i < axis    ? arguments.outer
             : i == axis ? arguments.extent
                         : arguments.inner) *= dims.d[i];
        }
        if (arguments.outer == 0 || arguments.extent == 0 || arguments.inner == 0) {
            return {};
        }
        return {arguments.inner == 1 ? overRows(workload.type(), arguments)
                                     : overColumns(workload.type(), arguments)};
    }

private:
    static constexpr int32_t kBlock = 256;

    static GridLaunch overRows(DataType type, Arguments& arguments) {
        int64_t const vector = 128 / bitsOf(type);
        int64_t const packs = arguments.extent / vector + (arguments.extent % vector != 0 ? 1 : 0);
        constexpr int64_t kManyRows = 2048; // else a block for each row is faster
        if (packs <= 4 * 32 || (packs <= 8 * 32 && arguments.outer >= kManyRows)) {
            arguments.lanes = static_cast<int32_t>(std::min<int64_t>(powerOfTwo(packs), 32));
            char const* const function = packs <= 32       ? "warp_1"
                                         : packs <= 2 * 32 ? "warp_2"
                                         : packs <= 4 * 32 ? "warp_4"
                                                           : "warp_8";
            constexpr int32_t kSmall = 64; // a row waits for no others at the end of its block
            return launchBlocks(function, arguments.outer, kSmall / arguments.lanes, kSmall);
        }
        char const* const function = packs <= kBlock       ? "block_1"
                                     : packs <= 2 * kBlock ? "block_2"
                                     : packs <= 4 * kBlock ? "block_4"
                                     : packs <= 8 * kBlock ? "block_8"
                                                           : "block_long";
        constexpr int32_t kLong = 512;
        return launchBlocks(function, arguments.outer, 1, packs <= 8 * kBlock ? kBlock : kLong);
    }

    /// Enough threads per column for about eight elements each, as long as neighbouring columns
    /// still fill 32 threads.
    static GridLaunch overColumns(DataType type, Arguments& arguments) {
        int64_t const vector = 128 / bitsOf(type);
        int64_t const held = arguments.extent <= 128 ? 4 : 16; // packs of each thread
        constexpr int64_t kMostLanes = 64;
        if (arguments.inner % vector == 0 && arguments.extent <= held * kMostLanes) {
            int64_t const lanes = powerOfTwo((arguments.extent + held - 1) / held);
            arguments.lanes = static_cast<int32_t>(lanes);
            return launchBlocks(held == 4 ? "held_columns_4" : "held_columns_16",
                                arguments.outer * (arguments.inner / vector), kBlock / lanes,
                                kBlock);
        }
        int64_t const most = kBlock / std::min<int64_t>(powerOfTwo(arguments.inner), 32);
        arguments.lanes = static_cast<int32_t>(std::min(powerOfTwo(arguments.extent / 8), most));
        return launchBlocks("columns", arguments.outer * arguments.inner, kBlock / arguments.lanes,
                            kBlock);
    }
};

} // namespace

void registerKernel_softmax(KernelRegistry& registry) {
    registry.add(entryOf<SoftMaxKernel>("softmax_reference"));
}

} // namespace kiln::targets::cuda
