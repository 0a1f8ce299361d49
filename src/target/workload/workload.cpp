// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/workload.h"

#include "graph/number_pool.h"

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

namespace {

/// Whether an output has the extents of the op's rule, and room where the op finds the extent.
bool fits(graph::ExprPool const& pool, graph::ShapeExpr const& rule, Dims const& given) {
    bool fits = rule.rank == given.nbDims;
    for (int32_t axis = 0; fits && axis < rule.rank; ++axis) {
        graph::ExprNode const& node = pool.node(rule[axis]);
        fits = node.op == graph::ExprOp::kSizeTensor
                   ? given.d[axis] >= pool.constantOr(node.b, INT64_MAX)
                   : given.d[axis] == pool.constantOr(rule[axis]) && given.d[axis] >= 0;
    }
    return fits;
}

void failOutput(graph::Op const& op, Workload const& workload, std::size_t output, DataType type,
                Dims const& dims) {
    fail(ErrorKind::kInvalidArgument,
         "[shape] {}, output {}: expected {} {}, got {} {}. Build the plan again.", op.kind(),
         output, nameOf(type), toText(dims), nameOf(workload.outputTypes[output].type),
         toText(workload.outputs[output]));
}

} // namespace

void checkWorkload(graph::Op const& op, Workload const& workload) {
    auto const results = static_cast<std::size_t>(op.outputCount());
    auto const sizes = static_cast<std::size_t>(op.sizeCount());
    if (workload.inputs.size() != workload.inputTypes.size() ||
        workload.outputs.size() != workload.outputTypes.size() ||
        workload.outputs.size() != results + sizes) {
        fail(ErrorKind::kInvalidArgument,
             "[shape] {}: expected shapes of {} inputs and {} outputs, got {} and {}. Build the "
             "plan again.",
             op.kind(), workload.inputTypes.size(), results + sizes, workload.inputs.size(),
             workload.outputs.size());
    }
    graph::NumberPool const numbers;
    graph::ExprPool& pool = *numbers;
    std::vector<graph::TensorFacts> inputs(workload.inputs.size());
    std::vector<graph::TensorFacts> outputs(results);
    std::vector<graph::DeclaredSize> declared(sizes);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!workload.has(i)) {
            inputs[i] = graph::TensorFacts::absent();
            continue;
        }
        static_cast<void>(volume(workload.inputs[i], "kernel input"));
        inputs[i] = {workload.inputTypes[i].type, graph::constantShape(pool, workload.inputs[i])};
    }
    graph::InferContext context{pool,    {}, inputs, outputs, workload.outputs.first(results),
                                declared};
    graph::expectPresent(context, op);
    op.infer(context);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].type != workload.outputTypes[i].type ||
            !fits(pool, outputs[i].shape, workload.outputs[i])) {
            failOutput(op, workload, i, outputs[i].type, graph::knownDims(pool, outputs[i].shape));
        }
        static_cast<void>(volume(workload.outputs[i], "kernel output"));
    }
    for (std::size_t i = results; i < results + sizes; ++i) {
        if (workload.outputTypes[i].type != DataType::kINT64 || workload.outputs[i].nbDims != 0) {
            failOutput(op, workload, i, DataType::kINT64, Dims{});
        }
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
