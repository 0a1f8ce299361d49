// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax along one axis; see kernels/softmax.cuh.
#include "graph/ops/softmax.h"

#include <algorithm>
#include <bit>

#include "targets/cuda/gpu.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct SoftMaxArguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int64_t parts;
    int64_t part;
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

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        Dims const& dims = workload.inputs[0];
        constexpr int64_t kRunningBytes = 8;
        bool const isLong = packsOf(workload.type(), dims.d[op.axisFor(dims.nbDims)]) > kHeldPacks;
        return isLong ? static_cast<std::size_t>((kPartsWanted + kFewRows) * kRunningBytes) : 0;
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        int32_t const axis = op.axisFor(dims.nbDims);
        arguments = {1, 1, 1, 1, 0, 1};
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            (i < axis    ? arguments.outer
             : i == axis ? arguments.extent
                         : arguments.inner) *= dims.d[i];
        }
        if (arguments.outer == 0 || arguments.extent == 0 || arguments.inner == 0) {
            return {};
        }
        std::vector<GridLaunch> launches =
            arguments.inner > 1 ? std::vector{overColumns(workload.type(), arguments)}
            : packsOf(workload.type(), arguments.extent) > kHeldPacks
                ? overLongRows(workload.type(), arguments)
                : std::vector{overRows(workload.type(), arguments)};
        for (GridLaunch& launch : launches) {
            launch.overlaps = true;
        }
        return launches;
    }

private:
    static constexpr int32_t kSmall =
        128; ///< threads of a block whose warps have rows of their own
    static constexpr int32_t kBlock = 256;
    static constexpr int32_t kLarge = 512;
    static constexpr int64_t kHeldPacks = 4 * kLarge; ///< in the registers of a block
    static constexpr int64_t kFewRows = 48;
    static constexpr int64_t kPartsWanted = 256; ///< of all rows
    static constexpr int64_t kLeastPart = 8192;  ///< elements

    /// Of a row, the last of which may be incomplete.
    static int64_t packsOf(DataType type, int64_t extent) {
        int64_t const vector = 128 / bitsOf(type);
        return extent / vector + (extent % vector != 0 ? 1 : 0);
    }

    /// That a block can hold beside the kernel's own.
    static int64_t sharedBytes() {
        constexpr int64_t kMostHeld = 226 * 1024; // as in kernels/softmax_applied.cuh
        constexpr int64_t kOwnBytes = 8 * 1024;
        int64_t const most = gpuProblem().empty() ? Gpu::current().sharedBytesPerBlock : 0;
        return std::min(kMostHeld, most - kOwnBytes);
    }

    /// Rows that do not fit registers.
    static std::vector<GridLaunch> overLongRows(DataType type, Arguments& arguments) {
        if (arguments.outer <= kFewRows) {
            int64_t const wanted = kPartsWanted / arguments.outer;
            arguments.part = std::max(kLeastPart, (arguments.extent / wanted + 7) / 8 * 8);
            arguments.parts = (arguments.extent - 1) / arguments.part + 1;
            int64_t const blocks = arguments.outer * arguments.parts;
            return {launchBlocks("parts_sums", blocks, 1, kBlock),
                    launchBlocks("parts_apply", blocks, 1, kBlock)};
        }
        int64_t const bytes = (arguments.extent * bitsOf(type) / 8 + 15) / 16 * 16;
        bool const isHeld = bytes <= sharedBytes();
        GridLaunch launch =
            launchBlocks(isHeld ? "block_held" : "block_long", arguments.outer, 1, kLarge);
        launch.sharedBytes = isHeld ? static_cast<int32_t>(bytes) : 0;
        return {launch};
    }

    static GridLaunch overRows(DataType type, Arguments& arguments) {
        int64_t const packs = packsOf(type, arguments.extent);
        // A warp waits for no other at the end of its row; a block is done sooner with one.
        constexpr int64_t kManyRows = 2048;
        if (packs <= 4 * 32 || (packs <= 8 * 32 && arguments.outer >= kManyRows)) {
            arguments.lanes = static_cast<int32_t>(std::min<int64_t>(powerOfTwo(packs), 32));
            char const* const function = packs <= 32       ? "warp_1"
                                         : packs <= 2 * 32 ? "warp_2"
                                         : packs <= 4 * 32 ? "warp_4"
                                                           : "warp_8";
            return launchBlocks(function, arguments.outer, kSmall / arguments.lanes, kSmall);
        }
        if (packs <= 2 * kBlock) {
            char const* const function = packs <= kBlock ? "block_1" : "block_2";
            return launchBlocks(function, arguments.outer, 1, kBlock);
        }
        int64_t const threads = (packs / 4 + 32) / 32 * 32; // each with four packs, if they suffice
        return launchBlocks("block_4", arguments.outer, 1,
                            static_cast<int32_t>(std::min<int64_t>(threads, kLarge)));
    }

    /// Long columns of packs, as many of them as leave room for three blocks. False if they do not
    /// fit.
    static bool holdColumns(Arguments& arguments, int64_t across, GridLaunch& launch) {
        constexpr int64_t kLongColumns = 512; // shorter ones stay in caches
        constexpr int64_t kMostBytes = 68 * 1024;
        constexpr int64_t kPackBytes = 16;
        int64_t width = 8;
        while (width > 2 &&
               (width * arguments.extent * kPackBytes > kMostBytes || width > across)) {
            width /= 2;
        }
        int64_t const bytes = width * arguments.extent * kPackBytes;
        if (arguments.extent < kLongColumns || bytes > std::min(kMostBytes, sharedBytes())) {
            return false;
        }
        arguments.lanes = static_cast<int32_t>(kBlock / width);
        launch = launchBlocks("columns_held", arguments.outer * across, width, kBlock);
        launch.sharedBytes = static_cast<int32_t>(bytes);
        return true;
    }

    /// Enough threads per column for about eight elements each, as long as neighbouring threads
    /// read runs of 128 bytes.
    static GridLaunch overColumns(DataType type, Arguments& arguments) {
        int64_t const vector = 128 / bitsOf(type);
        bool const isWide = arguments.inner % vector == 0;
        int64_t const across = isWide ? arguments.inner / vector : arguments.inner;
        GridLaunch held;
        if (isWide && holdColumns(arguments, across, held)) {
            return held;
        }
        int64_t const run = std::min<int64_t>(powerOfTwo(across), isWide ? 8 : 32);
        arguments.lanes =
            static_cast<int32_t>(std::min(powerOfTwo(arguments.extent / 8), kBlock / run));
        return launchBlocks(isWide ? "columns_wide" : "columns", arguments.outer * across,
                            kBlock / arguments.lanes, kBlock);
    }
};

} // namespace

void registerKernel_softmax(KernelRegistry& registry) {
    registry.add(entryOf<SoftMaxKernel>("softmax_reference"));
}

} // namespace kiln::targets::cuda
