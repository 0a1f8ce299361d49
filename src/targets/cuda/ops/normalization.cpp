// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// normalization over sets of elements; see kernels/normalization.cuh.
#include "graph/ops/normalization.h"

#include <algorithm>
#include <bit>

#include "target/workload/normalization.h"
#include "targets/cuda/gpu.h"
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
    int64_t group;
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
        // Rows with parts are longer than one, so there are at most twice as many parts as whole
        // ones, and not more rows than those.
        int64_t const elements = volume(workload.inputs[0], "normalized tensor");
        int64_t const parts = elements / partOf(workload.type());
        constexpr int64_t kMomentsBytes = 12;
        constexpr int64_t kTicketBytes = 4;
        constexpr int64_t kProgressBytes = 16;
        return static_cast<std::size_t>((2 * parts + 1) * (kMomentsBytes + kTicketBytes) +
                                        (parts + 1) * kProgressBytes);
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
            return arguments.parts <= mostHeldParts() ? overHeldParts(arguments)
                                                      : overParts(arguments);
        }
        return {overlapping(overRows(workload.type(), arguments))};
    }

private:
    static constexpr int32_t kBlock = 256;
    static constexpr int32_t kSmall = 64; ///< a row waits for no others at the end of its block

    /// Elements that one block holds; as in the kernels.
    static int64_t partOf(DataType type) {
        constexpr int64_t kPartPacks = 16;
        return kBlock * kPartPacks * (128 / bitsOf(type));
    }

    /// Parts of a row that a GPU holds for sure, with some to spare.
    static int64_t mostHeldParts() {
        constexpr int64_t kUsualPlaces = 64; // one of two blocks of a multiprocessor
        return gpuProblem().empty() ? Gpu::current().multiprocessors : kUsualPlaces;
    }

    static std::vector<GridLaunch> overHeldParts(Arguments const& arguments) {
        constexpr int64_t kMostLateBlocks = 264; // which usually return at once
        int64_t const blocks = arguments.sets.count * arguments.parts;
        return {launchBlocks("parts_clear", arguments.sets.count, 1024, kBlock),
                {"parts_held", blocks, 1, 1, kBlock},
                {"parts_late", std::min(blocks, kMostLateBlocks), 1, 1, kBlock}};
    }

    /// Parts are read twice; see kernels/normalization_parts.cuh.
    static std::vector<GridLaunch> overParts(Arguments& arguments) {
        constexpr int64_t kPartsAtOnce = 256; // 16 MB: those of the last groups stay in the cache
        arguments.group =
            std::clamp<int64_t>(kPartsAtOnce / arguments.parts, 1, arguments.sets.count);
        int64_t const groups = (arguments.sets.count - 1) / arguments.group + 1;
        return {
            launchBlocks("parts_clear", arguments.sets.count, 1024, kBlock),
            {"parts_in_turns", (2 * groups + 1) * arguments.group * arguments.parts, 1, 1, kBlock}};
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

    /// Rows of packs. Measured on an H200: the factors of a thread's packs fit registers if there
    /// are four, or eight that share theirs.
    static GridLaunch overPacks(int64_t packs, int64_t vector, Arguments& arguments) {
        int64_t const rows = arguments.sets.count;
        constexpr int64_t kFewRows = 512;
        constexpr int64_t kManyRows = 2048;
        bool const areShared = arguments.step == 0 || arguments.repeat % vector == 0;
        if (packs <= 6 * 32 && rows >= kManyRows) {
            arguments.lanes = 32;
            return launchBlocks("warp_8", rows, kSmall / 32, kSmall);
        }
        int64_t const each = rows <= kFewRows && packs <= 2 * kBlock                ? 2
                             : packs <= (areShared ? 2 * 128 : 4 * int64_t{kBlock}) ? 4
                                                                                    : 8;
        char const* const function = each == 2 ? "packs_2" : each == 4 ? "packs_4" : "packs_8";
        int64_t const threads = ((packs - 1) / each / 32 + 1) * 32;
        return launchBlocks(function, rows, 1, static_cast<int32_t>(threads));
    }

    static GridLaunch overRows(DataType type, Arguments& arguments) {
        int64_t const vector = 128 / bitsOf(type);
        int64_t const extent = arguments.members.count;
        int64_t const packs = extent / vector + (extent % vector != 0 ? 1 : 0);
        int64_t const rows = arguments.sets.count;
        bool const isWide = extent % vector == 0;
        if (isWide && packs > 4 * 32 && packs <= 8 * kBlock) {
            return overPacks(packs, vector, arguments);
        }
        // A warp with a long row takes longer than a block, but it waits for no other, and more
        // rows are under way at once.
        constexpr int64_t kFewRows = 512;
        if (packs <= 2 * 32 || (packs <= 4 * 32 && rows > kFewRows)) {
            auto const power = std::bit_ceil(static_cast<uint64_t>(packs));
            arguments.lanes = static_cast<int32_t>(std::min<uint64_t>(power, 32));
            char const* const function = packs <= 32       ? "warp_1"
                                         : packs <= 2 * 32 ? "warp_2"
                                         : packs <= 3 * 32 ? "warp_3"
                                                           : "warp_4";
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
