// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/workload.h"

namespace kiln::target {
namespace {

std::string refuseFormats(std::span<OperandSpec const> operands, std::string_view side) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].type.format != TensorFormat::kLINEAR) {
            return fmt::format("expected linear memory format for {} {}, got {}", side, i,
                               nameOf(operands[i].type.format));
        }
    }
    return {};
}

} // namespace

void checkLinear(graph::Op const& op, Workload const& workload) {
    for (std::span<OperandType const> side : {workload.inputTypes, workload.outputTypes}) {
        for (OperandType const& operand : side) {
            if (operand.format != TensorFormat::kLINEAR) {
                fail(ErrorKind::kUnsupported,
                     "[shape] {}: expected linear memory format, got {}. Build the plan again.",
                     op.kind(), nameOf(operand.format));
            }
        }
    }
}

void checkWorkload(graph::Op const& op, Workload const& workload) {
    if (workload.inputs.size() != workload.inputTypes.size() ||
        workload.outputs.size() != workload.outputTypes.size() ||
        workload.outputs.size() != static_cast<std::size_t>(op.outputCount())) {
        fail(ErrorKind::kInvalidArgument,
             "[shape] {}: expected shapes of {} inputs and {} outputs, got {} and {}. Build the "
             "plan again.",
             op.kind(), workload.inputTypes.size(), op.outputCount(), workload.inputs.size(),
             workload.outputs.size());
    }
    graph::ExprPool pool;
    std::vector<graph::TensorFacts> inputs(workload.inputs.size());
    std::vector<graph::TensorFacts> outputs(workload.outputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        static_cast<void>(volume(workload.inputs[i], "kernel input"));
        inputs[i] = {workload.inputTypes[i].type, graph::constantShape(pool, workload.inputs[i])};
    }
    graph::InferContext context{pool, {}, inputs, outputs, workload.outputs};
    op.infer(context);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Dims const dims = graph::knownDims(pool, outputs[i].shape);
        if (outputs[i].type != workload.outputTypes[i].type ||
            !sameDims(dims, workload.outputs[i])) {
            fail(ErrorKind::kInvalidArgument,
                 "[shape] {}, output {}: expected {} {}, got {} {}. Build the plan again.",
                 op.kind(), i, nameOf(outputs[i].type), toText(dims),
                 nameOf(workload.outputTypes[i].type), toText(workload.outputs[i]));
        }
        static_cast<void>(volume(dims, "kernel output"));
    }
}

std::string refuseFormats(NodeSpec const& node) {
    std::string reason = refuseFormats(node.inputs, "input");
    return reason.empty() ? refuseFormats(node.outputs, "output") : reason;
}

std::string refuseUnlessFloat(NodeSpec const& node) {
    DataType const type = node.inputs[0].type.type;
    return isFloating(type)
               ? std::string()
               : fmt::format("expected input 0 of float32, float16 or bfloat16, got {}",
                             nameOf(type));
}

double elementsOf(NodeSpec const& node) {
    Dims const& dims = node.outputs[0].opt;
    double count = 1.0;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= static_cast<double>(dims.d[i]);
    }
    return count;
}

} // namespace kiln::target
