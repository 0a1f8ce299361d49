// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unique: a sort, then runs of equals; see kernels/unique.cuh.
#include "graph/ops/unique.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Unique;

// Of kernels/sorted_numbers.cuh.
constexpr int64_t kTile = 2048;
constexpr int32_t kSortThreads = 256;
constexpr int64_t kMostPlaces = (int64_t{1} << 32) - 1;

int64_t tilesOf(int64_t count) {
    return count / kTile + (count % kTile != 0 ? 1 : 0);
}

struct UniqueKernel {
    using Op = Unique;
    struct Arguments {
        int64_t outer = 1; ///< the input is [outer, count, inner]
        int64_t count = 1;
        int64_t inner = 1;
        int64_t numbers = 0; ///< 1: slices are numbers
    };

    static bool isLong(DataType type) { return type == DataType::kINT64; }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        return sourceOf("unique", {{"KILN_ELEMENT", kernelTypeName(type)},
                                   {"KILN_SORTED", op.sorted ? "1" : "0"},
                                   {"KILN_LONG", isLong(type) ? "1" : "0"}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        int64_t const count = workload.outputs[Unique::kInverse].d[0];
        int64_t const words = isLong(workload.type()) ? 4 : 2; // of two entries
        return bytesFor(DataType::kINT64, (words + 3) * count + tilesOf(count) + 1);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        int64_t const count = workload.outputs[Unique::kInverse].d[0];
        arguments.count = count;
        for (int32_t i = 0; op.axis >= 0 && i < dims.nbDims; ++i) {
            (i < op.axis ? arguments.outer : arguments.inner) *= i == op.axis ? 1 : dims.d[i];
        }
        bool const numbers = arguments.outer == 1 && arguments.inner == 1 &&
                             (isLong(workload.type()) || count <= kMostPlaces);
        arguments.numbers = numbers ? 1 : 0;
        std::vector<GridLaunch> launches = numbers ? sortNumbers(count) : sortSlices(count);
        auto const overTiles = [&](char const* function) {
            launches.push_back(launchBlocks(function, count, kTile, kSortThreads));
        };
        overTiles("count_runs");
        launches.push_back({"number_tiles", 1, 1, 1, kSortThreads});
        overTiles("number_runs");
        if (!op.sorted) {
            overTiles("count_firsts");
            launches.push_back({"number_tiles", 1, 1, 1, kSortThreads});
            overTiles("number_firsts");
        }
        launches.push_back(launchOver("place", count));
        launches.push_back(launchOver("copy_slices", volume(dims, "unique")));
        return launches;
    }

private:
    static std::vector<GridLaunch> sortNumbers(int64_t count) {
        GridLaunch const merge = launchBlocks("merge_numbers", count, kTile, kSortThreads);
        std::vector<GridLaunch> launches{launchBlocks("sort_numbers", count, kTile, kSortThreads)};
        for (int64_t length = kTile; length < count; length *= 2) {
            launches.push_back(merge);
        }
        return launches;
    }

    static std::vector<GridLaunch> sortSlices(int64_t count) {
        std::vector<GridLaunch> launches{launchOver("begin", count)};
        for (int64_t length = 1; length < count; length *= 2) {
            launches.push_back(launchOver("merge", count));
            launches.push_back({"advance", 1, 1, 1, 1});
        }
        return launches;
    }
};

} // namespace

void registerKernel_unique(KernelRegistry& registry) {
    registry.add(entryOf<UniqueKernel>("unique"));
}

} // namespace kiln::targets::cuda
