// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// activation: a function of each element. float32, float16 and bfloat16, computed in float32; ReLU
// and clip also support int8, int32 and int64. NaN stays NaN.
#include "graph/ops/activation.h"

#include "targets/cuda/broadcast.h"
#include "targets/cuda/chain/function_names.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::ActivationType;

struct ActivationFlat {
    using Op = graph::Activation;
    static constexpr bool kDenseOrder = true;
    struct Arguments {
        int64_t count = 0;
        float alpha = 0.0F;
        float beta = 0.0F;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        bool const integers = op.type == ActivationType::kRELU || op.type == ActivationType::kCLIP;
        return integers ? std::string() : refuseUnlessFloat(node);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("activation", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                                       {"KILN_FUNCTION", functionName(op.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments = {volume(workload.inputs[0], "activation"), op.alpha, op.beta};
        return {launchFlat("activation", arguments.count, widthFor(bytesFor(workload.type(), 1)))};
    }
};

} // namespace

void registerKernel_activation(KernelRegistry& registry) {
    registry.add(entryOf<ActivationFlat>("activation_flat"));
}

} // namespace kiln::targets::cuda
