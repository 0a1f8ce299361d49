// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unique: a sort by merging, then runs of equals; see kernels/unique.cuh.
#include "graph/ops/unique.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Unique;

struct UniqueKernel {
    using Op = Unique;
    struct Arguments {
        int64_t outer = 1; ///< the input is [outer, count, inner]
        int64_t count = 1;
        int64_t inner = 1;
    };

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("unique", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                                   {"KILN_SORTED", op.sorted ? "1" : "0"}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        int64_t const count = workload.outputs[Unique::kInverse].d[0];
        return bytesFor(DataType::kINT64, 5 * count + 1); // as in the source
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        arguments.count = workload.outputs[Unique::kInverse].d[0];
        for (int32_t i = 0; op.axis >= 0 && i < dims.nbDims; ++i) {
            (i < op.axis ? arguments.outer : arguments.inner) *= i == op.axis ? 1 : dims.d[i];
        }
        constexpr int32_t kThreads = 256; // as in the source
        int64_t const count = arguments.count;
        std::vector<GridLaunch> launches{launchOver("begin", count + 1)};
        for (int64_t length = 1; length < count; length *= 2) {
            launches.push_back(launchOver("merge", count));
            launches.push_back({"advance", 1, 1, 1, 1});
        }
        launches.push_back(launchOver("mark", count));
        launches.push_back({"number_runs", 1, 1, 1, kThreads});
        launches.push_back(launchOver("find_starts", count));
        if (!op.sorted) {
            launches.push_back({"number_firsts", 1, 1, 1, kThreads});
        }
        launches.push_back(launchOver("place", count));
        launches.push_back(launchOver("copy_slices", volume(dims, "unique")));
        return launches;
    }
};

} // namespace

void registerKernel_unique(KernelRegistry& registry) {
    registry.add(entryOf<UniqueKernel>("unique"));
}

} // namespace kiln::targets::cuda
