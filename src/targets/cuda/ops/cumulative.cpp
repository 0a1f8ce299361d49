// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cumulative: running sums along an axis; see kernels/cumulative.cuh.
#include "graph/ops/cumulative.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Cumulative;

constexpr int32_t kThreads = 256;
constexpr int64_t kLongestWarpRow = 2048; ///< elements
constexpr int64_t kMostParts = 1024;
constexpr int64_t kEnoughRows = 512;        ///< blocks that keep all multiprocessors busy
constexpr int64_t kEnoughColumns = 1 << 16; ///< threads
constexpr int64_t kLeastRowPart = 1 << 13;
constexpr int64_t kLeastColumnPart = 64;

struct CumulativeScan {
    using Op = Cumulative;
    struct Arguments {
        int64_t outer = 1;
        int64_t extent = 1;
        int64_t inner = 1;
        int64_t parts = 1;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return node.inputs.size() == 1 ? std::string() : "expected the axis as a parameter";
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        char const* const number = type == DataType::kFLOAT   ? "double"
                                   : type == DataType::kINT32 ? "uint32_t"
                                   : type == DataType::kINT64 ? "uint64_t"
                                                              : "float";
        return sourceOf("cumulative", {{"KILN_ELEMENT", kernelTypeName(type)},
                                       {"KILN_NUMBER", number},
                                       {"KILN_EXCLUSIVE", op.exclusive ? "1" : "0"},
                                       {"KILN_REVERSE", op.reverse ? "1" : "0"}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const&) {
        // Split are at most kEnoughRows rows or kEnoughColumns columns, into that many in all.
        return std::max(kMostParts + 2 * kEnoughRows, 2 * kEnoughColumns) * sizeof(double);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        arguments = {};
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            (i < op.axis    ? arguments.outer
             : i == op.axis ? arguments.extent
                            : arguments.inner) *= dims.d[i];
        }
        if (volume(dims, "cumulative") == 0) {
            return {};
        }
        return arguments.inner == 1 ? overRows(arguments) : overColumns(workload.type(), arguments);
    }

private:
    static std::vector<GridLaunch> overRows(Arguments& arguments) {
        if (arguments.extent <= kLongestWarpRow) {
            return {launchBlocks("warp_rows", arguments.outer, kThreads / 32, kThreads)};
        }
        int64_t const wanted = std::min(kMostParts, 2 * kEnoughRows / arguments.outer);
        arguments.parts =
            std::clamp(arguments.extent / kLeastRowPart, int64_t{1}, std::max(wanted, int64_t{1}));
        GridLaunch const scan =
            launchBlocks("block_rows", arguments.outer * arguments.parts, 1, kThreads);
        if (arguments.parts == 1) {
            return {scan};
        }
        return {{"sum_rows", arguments.outer * arguments.parts, 1, 1, kThreads},
                {"place_parts", arguments.outer, 1, 1, kThreads},
                scan};
    }

    static std::vector<GridLaunch> overColumns(DataType type, Arguments& arguments) {
        int64_t const count = arguments.outer * arguments.inner;
        int64_t const vector = 128 / bitsOf(type);
        constexpr int64_t kAcross = 8; // as in the kernels
        constexpr int64_t kEnoughBlocks = 128;
        constexpr int64_t kLeastExtent = 64; // else the threads of a block have no rows to share
        if (arguments.inner % vector == 0 && arguments.extent >= kLeastExtent &&
            count / (vector * kAcross) >= kEnoughBlocks) {
            return {launchBlocks("held_columns", count / vector, kAcross, kThreads)};
        }
        int64_t const wanted = std::min(kMostParts, 2 * kEnoughColumns / count);
        arguments.parts = std::clamp(arguments.extent / kLeastColumnPart, int64_t{1},
                                     std::max(wanted, int64_t{1}));
        GridLaunch const scan = launchOver("columns", count * arguments.parts, kThreads);
        if (arguments.parts == 1) {
            return {scan};
        }
        return {launchOver("sum_columns", count * arguments.parts, kThreads),
                {"place_parts", count, 1, 1, kThreads},
                scan};
    }
};

} // namespace

void registerKernel_cumulative(KernelRegistry& registry) {
    registry.add(entryOf<CumulativeScan>("cumulative_scan"));
}

} // namespace kiln::targets::cuda
