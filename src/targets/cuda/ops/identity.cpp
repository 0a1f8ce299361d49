// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// identity: output = input. Any type; the bytes are copied.
#include "graph/ops/identity.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct IdentityCopy {
    using Op = graph::Identity;
    struct Arguments {
        int64_t bytes = 0;
    };

    static SourceText source(Op const&, NodeSpec const&) { return sourceOf("copy", {}); }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        constexpr int64_t kBytesPerThread = 64;
        auto const bytes = bytesFor(workload.type(), volume(workload.inputs[0], "identity"));
        arguments.bytes = static_cast<int64_t>(bytes);
        int64_t const threads =
            arguments.bytes / kBytesPerThread + (arguments.bytes % kBytesPerThread != 0 ? 1 : 0);
        return {launchOver("copy", threads)};
    }
};

} // namespace

void registerKernel_identity(KernelRegistry& registry) {
    registry.add(entryOf<IdentityCopy>("identity_copy"));
}

} // namespace kiln::targets::cuda
