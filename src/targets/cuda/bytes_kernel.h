// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of an op whose output has the bytes of its input.
#pragma once

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {

template <typename OpWithSameBytes>
struct BytesKernel {
    using Op = OpWithSameBytes;
    struct Arguments {
        int64_t bytes = 0;
    };

    static SourceText source(Op const&, NodeSpec const&) { return sourceOf("copy", {}); }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        constexpr int64_t kBytesPerThread = 64;
        auto const bytes = bytesFor(workload.type(), volume(workload.inputs[0], Op::kKind));
        arguments.bytes = static_cast<int64_t>(bytes);
        int64_t const threads =
            arguments.bytes / kBytesPerThread + (arguments.bytes % kBytesPerThread != 0 ? 1 : 0);
        return {launchOver("copy", threads)};
    }
};

} // namespace kiln::targets::cuda
