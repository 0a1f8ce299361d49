// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// activation: a function of each element. float32, float16 and bfloat16, computed in float32; ReLU
// and clip also support int8, int32 and int64. NaN stays NaN.
#include "graph/ops/activation.h"

#include "targets/cuda/broadcast.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::ActivationType;

/// The name of the function in kernels/activation.cuh.
char const* functionName(ActivationType type) {
    switch (type) {
    case ActivationType::kRELU: return "Relu";
    case ActivationType::kSIGMOID: return "Sigmoid";
    case ActivationType::kTANH: return "Tanh";
    case ActivationType::kLEAKY_RELU: return "LeakyRelu";
    case ActivationType::kELU: return "Elu";
    case ActivationType::kSELU: return "Selu";
    case ActivationType::kSOFTSIGN: return "Softsign";
    case ActivationType::kSOFTPLUS: return "Softplus";
    case ActivationType::kCLIP: return "Clip";
    case ActivationType::kHARD_SIGMOID: return "HardSigmoid";
    case ActivationType::kSCALED_TANH: return "ScaledTanh";
    case ActivationType::kTHRESHOLDED_RELU: return "ThresholdedRelu";
    case ActivationType::kGELU_ERF: return "GeluErf";
    case ActivationType::kGELU_TANH: return "GeluTanh";
    }
    return "";
}

struct ActivationFlat {
    using Op = graph::Activation;
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
