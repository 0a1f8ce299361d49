// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// normalization over sets of elements; see kernels/normalization.cuh.
#include "graph/ops/normalization.h"

#include <algorithm>
#include <bit>

#include "target/workload/normalization.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

/// Same layout as in kernels/normalization.cuh.
struct NormalizationLoops {
    int64_t count;
    int32_t rank;
    int64_t extent[Dims::MAX_DIMS];
    int64_t stride[3][Dims::MAX_DIMS];
};

struct NormalizationArguments {
    NormalizationLoops sets;
    NormalizationLoops members;
    int64_t repeat;
    int64_t step;
    float epsilon;
    int32_t lanes;
    int64_t parts;
};

NormalizationLoops loopsOf(target::Nest<3> const& nest) {
    NormalizationLoops loops{};
    loops.count = nest.count();
    loops.rank = nest.rank();
    for (int32_t loop = 0; loop < nest.rank(); ++loop) {
        loops.extent[loop] = nest.extent(loop);
        for (std::size_t operand = 0; operand < 3; ++operand) {
            loops.stride[operand][loop] = nest.stride(loop, operand);
        }
    }
    return loops;
}

struct NormalizationKernel {
    using Op = graph::Normalization;
    using Arguments = NormalizationArguments;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("normalization",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                         {"KILN_CENTERS", op.centers ? "true" : "false"}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        // Rows with parts are longer than one, so there are at most twice as many as whole parts.
        int64_t const elements = volume(workload.inputs[0], "normalized tensor");
        constexpr int64_t kMomentsBytes = 12;
        return static_cast<std::size_t>((2 * elements / partOf(workload.type()) + 1) *
                                        kMomentsBytes);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        target::NormalizationWorkload const loops = target::normalizationWorkload(op, workload);
        arguments.sets = loopsOf(loops.sets);
        arguments.members = loopsOf(loops.members);
        arguments.epsilon = op.epsilon;
        if (arguments.sets.count == 0 || arguments.members.count == 0) {
            return {};
        }
        if (!areRows(loops, arguments)) {
            return {overlapping(launchBlocks("strided", arguments.sets.count, 1, kBlock))};
        }
        int64_t const part = partOf(workload.type());
        if (arguments.members.count > part) {
            arguments.parts = (arguments.members.count - 1) / part + 1;
            int64_t const blocks = arguments.sets.count * arguments.parts;
            return {launchBlocks("parts_sums", blocks, 1, kBlock),
                    launchBlocks("parts_apply", blocks, 1, kBlock)};
        }
        return {overlapping(overRows(workload.type(), arguments))};
    }

private:
    static constexpr int32_t kBlock = 256;

    /// Elements that one block holds; as in the kernels.
    static int64_t partOf(DataType type) {
        constexpr int64_t kPartPacks = 16;
        return kBlock * kPartPacks * (128 / bitsOf(type));
    }

    /// Whether each set is contiguous and its element i has element i / repeat * step of scale and
    /// bias.
    static bool areRows(target::NormalizationWorkload const& loops, Arguments& arguments) {
        target::Nest<3> const& members = loops.members;
        bool const contiguous = loops.values.rank() == 0 ||
                                (loops.values.rank() == 1 && loops.values.innerStride(0) == 1);
        int32_t const rank = members.rank();
        if (!contiguous || rank > 2) {
            return false;
        }
        for (int32_t loop = 0; loop < rank; ++loop) {
            if (members.stride(loop, 1) != members.stride(loop, 2)) {
                return false;
            }
        }
        arguments.repeat = 1;
        arguments.step = rank == 0 ? 0 : members.stride(0, 1);
        if (rank == 2) {
            arguments.repeat = members.extent(1);
            return members.stride(1, 1) == 0;
        }
        return true;
    }

    static GridLaunch overlapping(GridLaunch launch) {
        launch.overlaps = true;
        return launch;
    }

    static GridLaunch overRows(DataType type, Arguments& arguments) {
        int64_t const vector = 128 / bitsOf(type);
        int64_t const extent = arguments.members.count;
        int64_t const packs = extent / vector + (extent % vector != 0 ? 1 : 0);
        int64_t const rows = arguments.sets.count;
        // A warp with a long row takes longer than a block, but it waits for no other, and more
        // rows are under way at once.
        constexpr int64_t kFewRows = 512;
        constexpr int64_t kManyRows = 2048;
        bool const isWide = extent % vector == 0;
        if (packs <= 2 * 32 || (packs <= 4 * 32 && rows > kFewRows) ||
            (packs <= 16 * 32 && rows >= kManyRows && isWide)) {
            auto const power = std::bit_ceil(static_cast<uint64_t>(packs));
            arguments.lanes = static_cast<int32_t>(std::min<uint64_t>(power, 32));
            char const* const function = packs <= 32       ? "warp_1"
                                         : packs <= 2 * 32 ? "warp_2"
                                         : packs <= 3 * 32 ? "warp_3"
                                         : packs <= 4 * 32 ? "warp_4"
                                         : packs <= 8 * 32 ? "warp_8"
                                                           : "warp_16";
            constexpr int32_t kSmall = 64; // a row waits for no others at the end of its block
            return launchBlocks(function, rows, kSmall / arguments.lanes, kSmall);
        }
        char const* const function = packs <= kBlock       ? "block_1"
                                     : packs <= 2 * kBlock ? "block_2"
                                     : packs <= 4 * kBlock ? "block_4"
                                     : packs <= 8 * kBlock ? "block_8"
                                                           : "block_16";
        int64_t const threads = (packs + 31) / 32 * 32; // each with one pack, if they suffice
        return launchBlocks(function, rows, 1,
                            static_cast<int32_t>(std::min<int64_t>(threads, kBlock)));
    }
};

} // namespace

void registerKernel_normalization(KernelRegistry& registry) {
    registry.add(entryOf<NormalizationKernel>("normalization_reference"));
}

} // namespace kiln::targets::cuda
