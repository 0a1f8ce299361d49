// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// counted copy: the first entries of a tensor, as many as a number in device memory says.
#include "graph/ops/counted_copy.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct CountedCopyKernel {
    using Op = graph::CountedCopy;
    struct Arguments {
        int64_t entryBytes = 0;
        int64_t most = 0;
        int32_t wide = 0; ///< the number has 64 bits
        int32_t unused = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const&, NodeSpec const&) { return sourceOf("counted_copy", {}); }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        // At most enough blocks to fill a GPU: the amount of work is not known here.
        constexpr int64_t kMostThreads = int64_t{1} << 18;
        constexpr int64_t kBytesPerThread = 16;
        arguments.entryBytes =
            static_cast<int64_t>(bytesFor(workload.type(), op.entryVolume(workload.inputs[0])));
        arguments.most = workload.inputs[0].d[op.axis];
        arguments.wide = workload.inputTypes[1].type == DataType::kINT64 ? 1 : 0;
        auto const bytes = static_cast<int64_t>(
            bytesFor(workload.type(), volume(workload.inputs[0], "counted copy")));
        int64_t const threads = bytes / kBytesPerThread + (bytes % kBytesPerThread != 0 ? 1 : 0);
        return {launchOver("counted_copy", std::min(threads, kMostThreads))};
    }
};

} // namespace

void registerKernel_counted_copy(KernelRegistry& registry) {
    registry.add(entryOf<CountedCopyKernel>("counted_copy"));
}

} // namespace kiln::targets::cuda
