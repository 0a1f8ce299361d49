// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unary: a function of each element. float32, float16 and bfloat16, computed in float32. Absolute
// value, negation and sign also support int8, int32 and int64, with wraparound; logical not takes
// bool. Rounding takes ties to even.
#include "graph/ops/unary.h"

#include "targets/cuda/broadcast.h"
#include "targets/cuda/chain/function_names.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

/// The name of the function in kernels/unary.cuh.
struct UnaryFlat {
    using Op = graph::Unary;
    static constexpr bool kDenseOrder = true;
    struct Arguments {
        int64_t count = 0;
    };

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("unary", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                                  {"KILN_RESULT", kernelTypeName(node.outputs[0].type.type)},
                                  {"KILN_FUNCTION", functionName(op.operation)}});
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        arguments.count = volume(workload.inputs[0], "unary");
        return {launchFlat("unary", arguments.count, widthFor(bytesFor(workload.type(), 1)))};
    }
};

} // namespace

void registerKernel_unary(KernelRegistry& registry) {
    registry.add(entryOf<UnaryFlat>("unary_flat"));
}

} // namespace kiln::targets::cuda
