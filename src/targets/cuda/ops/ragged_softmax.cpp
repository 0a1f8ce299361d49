// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ragged_softmax: softmax over the first elements of each row; see kernels/ragged_softmax.cuh.
#include "graph/ops/ragged_softmax.h"

#include <algorithm>
#include <bit>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct RaggedSoftMaxKernel {
    using Op = graph::RaggedSoftMax;
    struct Arguments {
        int64_t rows = 0;
        int64_t length = 0;
        int64_t lanes = 1;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("ragged_softmax",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                         {"KILN_BOUNDS", kernelTypeName(node.inputs[Op::kBounds].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        arguments.length = dims.d[dims.nbDims - 1];
        arguments.rows = volume(workload.inputs[Op::kBounds], "bounds");
        return {overRows(workload.type(), arguments)};
    }

private:
    static GridLaunch overRows(DataType type, Arguments& arguments) {
        constexpr int32_t kSmall = 128; // threads of a block whose warps have rows of their own
        constexpr int32_t kLarge = 512;
        int64_t const vector = 128 / bitsOf(type);
        int64_t const packs = arguments.length / vector + (arguments.length % vector != 0 ? 1 : 0);
        if (packs <= 4 * 32 || (packs <= 8 * 32 && bitsOf(type) == 32)) {
            auto const power = std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(packs, 1)));
            arguments.lanes = static_cast<int64_t>(std::min<uint64_t>(power, 32));
            char const* const function = packs <= 32       ? "warp_1"
                                         : packs <= 2 * 32 ? "warp_2"
                                         : packs <= 4 * 32 ? "warp_4"
                                                           : "warp_8";
            return launchBlocks(function, arguments.rows, kSmall / arguments.lanes, kSmall);
        }
        if (packs > 4 * kLarge) {
            return launchBlocks("block_long", arguments.rows, 1, kLarge);
        }
        int64_t const threads = (packs / 4 + 32) / 32 * 32; // each with four packs, if they suffice
        return launchBlocks("block_4", arguments.rows, 1,
                            static_cast<int32_t>(std::min<int64_t>(threads, kLarge)));
    }
};

} // namespace

void registerKernel_ragged_softmax(KernelRegistry& registry) {
    registry.add(entryOf<RaggedSoftMaxKernel>("ragged_softmax_reference"));
}

} // namespace kiln::targets::cuda
