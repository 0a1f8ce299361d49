// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// top-k: the best k elements along an axis, and their indices; see kernels/topk.cuh.
#include "graph/ops/topk.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"
#include "targets/cuda/ranking.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::TopK;

constexpr int64_t kSharedEntries = 2048;
constexpr int64_t kWarpResults = 32;     ///< one for each lane of a warp
constexpr int64_t kWarpExtent = 32 * 32; ///< 32 elements in the registers of each lane
constexpr int64_t kMostParts = 256;      ///< of all lanes together
constexpr int64_t kLeastPart = 4096;     ///< elements
constexpr int64_t kMostJoined = 1 << 14; ///< entries
// Of kernels/topk_one.cuh.
constexpr int32_t kOneThreads = 256;
constexpr int64_t kRowOfWarp = 4096;          ///< elements
constexpr int64_t kThreadsWanted = 256 << 10; ///< of columns
// Of kernels/topk_runs.cuh.
constexpr int64_t kRun = 2048;
constexpr int32_t kMergeThreads = 256;
constexpr int64_t kMostDirect = 1 << 20; ///< elements of all lanes: 16 MB of workspace
// Of kernels/topk_select.cuh.
constexpr int64_t kSelectionBytes = 8 << 10 | 32; ///< at most
constexpr int64_t kBlocksWanted = 512;
constexpr int64_t kLeastShare = 8192; ///< elements of a block
constexpr int64_t kDigitBits = 11;
constexpr int64_t kEntryBytes = 16; ///< at most
constexpr int64_t kManyTimes = 8;   ///< as long as its results: selection pays for itself

struct TopKKernel {
    using Op = TopK;
    struct Arguments {
        int64_t lanes = 1;
        int64_t extent = 1;
        int64_t inner = 1;
        int64_t k = 0;
        int64_t padded = 1;
        int64_t parts = 1;
        int64_t count = 0;
        int64_t direct = 0;
        uint64_t flip = 0;
    };

    static SourceText source(Op const& op, NodeSpec const& node) {
        Defines defines = rankingDefines(node.inputs[0].type.type, needsWide(node));
        defines.emplace_back("INDEX", kernelTypeName(op.indexType));
        defines.emplace_back("KILN_COUNT", node.inputs.size() > 1 ? "void const*," : "");
        return sourceOf("topk", std::move(defines));
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        Arguments const arguments = argumentsFor(op, workload);
        // Smaller shapes may be split into parts.
        bool const mayPart = arguments.extent >= 2 * kLeastPart;
        int64_t const parted = mayPart ? kMostParts * std::min(arguments.k, kSharedEntries) : 0;
        int64_t const large = arguments.k > kSharedEntries ? mostInRuns(arguments) : 0;
        return static_cast<std::size_t>(std::max(parted, large) * kEntryBytes);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments = argumentsFor(op, workload);
        if (arguments.lanes == 0 || arguments.k == 0) {
            return {};
        }
        if (arguments.k == 1) {
            return launchesOfOne(arguments);
        }
        if (arguments.k <= kWarpResults && arguments.extent <= kWarpExtent) {
            constexpr char const* kWarps[] = {"warp_1", "warp_2",  "warp_4",
                                              "warp_8", "warp_16", "warp_32"};
            auto const held = static_cast<uint64_t>(paddedCount((arguments.extent + 31) / 32));
            return {launchBlocks(kWarps[std::countr_zero(held)], arguments.lanes, 256 / 32, 256)};
        }
        if (arguments.k > kSharedEntries) {
            return launchesOfRuns(workload.type(), arguments);
        }
        if (arguments.parts > 1) {
            return {{"block_parts", arguments.lanes * arguments.parts, 1, 1, kRankThreads},
                    {"join_parts", arguments.lanes, 1, 1, kRankThreads}};
        }
        return {launchBlocks("block_lanes", arguments.lanes, 1, kRankThreads)};
    }

private:
    /// Entries of the workspace for runs, of these and of all smaller extents.
    static int64_t mostInRuns(Arguments const& arguments) {
        int64_t const direct = std::min(arguments.lanes * arguments.extent, kMostDirect);
        int64_t const perLane = 2 * arguments.k + kSelectionBytes / kEntryBytes;
        return std::max(2 * direct, arguments.lanes * perLane) + 1; // and the pass
    }

    /// A part of a lane is at least two packs for each thread of a block.
    static std::vector<GridLaunch> launchesOfOne(Arguments& arguments) {
        if (arguments.inner > 1) {
            // Enough threads for all multiprocessors, as long as they still read runs of memory.
            int64_t const runs = std::min<int64_t>(paddedCount(arguments.inner), 32);
            int64_t const wanted = paddedCount(kThreadsWanted / arguments.lanes);
            arguments.padded = std::clamp<int64_t>(
                std::min(wanted, paddedCount(arguments.extent / 8)), 1, kOneThreads / runs);
            return {launchBlocks("one_of_columns", arguments.lanes, kOneThreads / arguments.padded,
                                 kOneThreads)};
        }
        if (arguments.extent <= kRowOfWarp) {
            return {launchBlocks("one_of_rows", arguments.lanes, kOneThreads / 32, kOneThreads)};
        }
        std::vector<GridLaunch> launches{
            {"one_of_parts", arguments.lanes * arguments.parts, 1, 1, kOneThreads}};
        if (arguments.parts > 1) {
            launches.push_back(
                launchBlocks("one_of_all", arguments.lanes, kOneThreads / 32, kOneThreads));
        }
        return launches;
    }

    /// Digits in which entries may differ: those of keys, and of places.
    static int64_t digitsOf(DataType type, int64_t extent) {
        int64_t const ofKey = (bitsOf(type) + kDigitBits - 1) / kDigitBits;
        int64_t const bits = std::bit_width(static_cast<uint64_t>(extent - 1));
        // The last two digits of a word share two bits.
        return ofKey + (bits <= 9 ? 1 : (bits + 2 + kDigitBits - 1) / kDigitBits);
    }

    static std::vector<GridLaunch> launchesOfRuns(DataType type, Arguments const& arguments) {
        std::vector<GridLaunch> launches;
        if (arguments.direct == 0) {
            int64_t const shares = arguments.lanes * arguments.parts;
            launches.push_back({"begin_selection", arguments.lanes, 1, 1, kRankThreads});
            launches.insert(launches.end(),
                            static_cast<std::size_t>(digitsOf(type, arguments.extent)),
                            {"count_digits", shares, 1, 1, kRankThreads});
            launches.push_back({"collect_best", shares, 1, 1, kRankThreads});
        }
        int64_t const blocks = arguments.lanes * ((arguments.count + kRun - 1) / kRun);
        launches.push_back({"sort_runs", blocks, 1, 1, kRankThreads});
        for (int64_t run = kRun; run < arguments.count; run *= 2) {
            launches.push_back({"merge_runs", blocks, 1, 1, kMergeThreads});
        }
        return launches;
    }

    static Arguments argumentsFor(Op const& op, Workload const& workload) {
        Dims const& dims = workload.inputs[0];
        Arguments arguments;
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            (i == op.axis() ? arguments.extent : arguments.lanes) *= dims.d[i];
            arguments.inner *= i > op.axis() ? dims.d[i] : 1;
        }
        arguments.k = workload.outputs[0].d[op.axis()];
        arguments.padded = paddedCount(arguments.k);
        arguments.flip = op.operation == nvinfer1::TopKOperation::kMIN ? ~uint64_t{0} : 0;
        // Parts for all multiprocessors, each long compared with its result.
        int64_t const most = std::min(
            {kMostParts / std::max<int64_t>(arguments.lanes, 1), arguments.extent / kLeastPart,
             arguments.extent / (4 * (arguments.k + 1)), kMostJoined / (arguments.k + 1)});
        arguments.parts = std::max<int64_t>(most, 1);
        if (arguments.k > kSharedEntries) {
            int64_t const lanes = std::max<int64_t>(arguments.lanes, 1);
            bool const isMuchLonger = arguments.extent >= kManyTimes * arguments.k;
            arguments.direct = lanes * arguments.extent <= kMostDirect && !isMuchLonger ? 1 : 0;
            arguments.parts = std::clamp<int64_t>(arguments.extent / kLeastShare, 1,
                                                  std::max<int64_t>(kBlocksWanted / lanes, 1));
            arguments.count = arguments.direct != 0 ? arguments.extent : arguments.k;
        }
        return arguments;
    }
};

} // namespace

void registerKernel_topk(KernelRegistry& registry) {
    registry.add(entryOf<TopKKernel>("topk_select"));
}

} // namespace kiln::targets::cuda
