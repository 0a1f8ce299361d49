// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unary: a function of each element. float32, float16 and bfloat16, computed in float32. Absolute
// value, negation and sign also support int8, int32 and int64, with wraparound; logical not takes
// bool. Rounding takes ties to even.
#include "graph/ops/unary.h"

#include "targets/cuda/broadcast.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::UnaryOperation;

/// The name of the function in kernels/unary.cuh.
char const* functionName(UnaryOperation operation) {
    switch (operation) {
    case UnaryOperation::kEXP: return "Exponential";
    case UnaryOperation::kLOG: return "Logarithm";
    case UnaryOperation::kSQRT: return "SquareRoot";
    case UnaryOperation::kRECIP: return "Reciprocal";
    case UnaryOperation::kABS: return "Absolute";
    case UnaryOperation::kNEG: return "Negative";
    case UnaryOperation::kSIN: return "Sine";
    case UnaryOperation::kCOS: return "Cosine";
    case UnaryOperation::kTAN: return "Tangent";
    case UnaryOperation::kSINH: return "HyperbolicSine";
    case UnaryOperation::kCOSH: return "HyperbolicCosine";
    case UnaryOperation::kASIN: return "ArcSine";
    case UnaryOperation::kACOS: return "ArcCosine";
    case UnaryOperation::kATAN: return "ArcTangent";
    case UnaryOperation::kASINH: return "AreaHyperbolicSine";
    case UnaryOperation::kACOSH: return "AreaHyperbolicCosine";
    case UnaryOperation::kATANH: return "AreaHyperbolicTangent";
    case UnaryOperation::kCEIL: return "Ceiling";
    case UnaryOperation::kFLOOR: return "Floor";
    case UnaryOperation::kERF: return "ErrorFunction";
    case UnaryOperation::kNOT: return "Not";
    case UnaryOperation::kSIGN: return "Sign";
    case UnaryOperation::kROUND: return "Round";
    case UnaryOperation::kISINF: return "IsInfinite";
    case UnaryOperation::kISNAN: return "IsNan";
    }
    return "";
}

struct UnaryFlat {
    using Op = graph::Unary;
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
