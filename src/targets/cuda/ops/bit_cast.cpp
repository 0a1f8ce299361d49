// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// bit cast: the bytes are copied.
#include "graph/ops/bit_cast.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct BitCastCopy {
    using Op = graph::BitCast;
    struct Arguments {
        int64_t bytes = 0;
    };

    static SourceText source(Op const&, NodeSpec const&) { return sourceOf("copy", {}); }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        constexpr int64_t kBytesPerThread = 64;
        auto const bytes = bytesFor(workload.type(), volume(workload.inputs[0], "bit cast"));
        arguments.bytes = static_cast<int64_t>(bytes);
        int64_t const threads = (arguments.bytes + kBytesPerThread - 1) / kBytesPerThread;
        return {launchOver("copy", threads)};
    }
};

} // namespace

void registerKernel_bit_cast(KernelRegistry& registry) {
    registry.add(entryOf<BitCastCopy>("bit_cast_copy"));
}

} // namespace kiln::targets::cuda
