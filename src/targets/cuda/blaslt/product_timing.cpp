// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/product_timing.h"

#include <algorithm>

#include "targets/cuda/gpu_memory.h"
#include "targets/cuda/launch_timer.h"

namespace kiln::targets::cuda {
namespace {

using target::NodeAt;
using target::NodeSpec;
using target::OperandSpec;

std::size_t bytesOf(OperandSpec const& operand) {
    return bytesFor(operand.type.type, volume(operand.opt, "operand"));
}

GpuMemory clearedMemory(OperandSpec const& operand, int copies = 1) {
    std::size_t const bytes = rotationStride(bytesOf(operand)) * static_cast<std::size_t>(copies);
    GpuMemory memory(bytes);
    check(GpuScope()->memsetD8Async(memory.address(), 0, bytes, nullptr), "clear an operand");
    return memory;
}

struct TimedAlgorithm {
    double milliseconds = 0.0;
    std::size_t workspaceBytes = 0;
    cublasLtMatmulAlgo_t algorithm{};
};

bool hasOneShape(NodeSpec const& node) {
    auto const fixed = [](OperandSpec const& operand) {
        return sameDims(operand.min, operand.opt) && sameDims(operand.max, operand.opt);
    };
    return std::all_of(node.inputs.begin(), node.inputs.end(), fixed) &&
           std::all_of(node.outputs.begin(), node.outputs.end(), fixed);
}

/// Stores the algorithm. With one shape, the workspace becomes what it needs, if the heuristic has
/// algorithms for that workspace.
void keep(TimedAlgorithm const& best, MatmulPlan const& plan, MatrixProduct const& product,
          bool oneShape, ProductCode& code) {
    code.isTimed = true;
    code.timed = {plan.product(), best.algorithm};
    if (!oneShape || best.workspaceBytes >= code.mostWorkspace) {
        return;
    }
    try {
        MatmulPlan least(product, plan.types(), best.workspaceBytes, plan.epilogue());
        if (least.use(best.algorithm)) {
            code.mostWorkspace = best.workspaceBytes;
            code.timed.product = least.product();
        }
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kUnsupported) {
            throw;
        }
    }
}

} // namespace

ProductOperands::Described describeAt(ProductOperands const& operands, NodeSpec const& node,
                                      NodeAt::Point corner) {
    return operands.describe(NodeAt(node, corner).workload());
}

void chooseAlgorithm(NodeSpec const& node, ProductCode& code) {
    GpuScope const scope;
    ProductOperands const operands(node.op, node.inputs.size());
    ProductOperands::Described const described =
        describeAt(operands, node, NodeAt::Point::kOptimum);
    MatrixProduct const& product = described.product;
    if (product.calls.empty() || product.inner == 0 || product.batch > INT32_MAX) {
        return;
    }
    MatmulTypes types(node.outputs[0].type.type);
    types.tf32 = code.tf32;
    MatmulPlan plan(product, types, productWorkspace(node.outputs[0].opt, code.mostWorkspace),
                    described.epilogue);
    std::size_t const first = product.swapped ? operands.right() : operands.left();
    std::size_t const second = product.swapped ? operands.left() : operands.right();
    std::size_t const weights = node.inputs[first].constant ? first : second;
    int const rotation =
        node.inputs[weights].constant ? rotationFor(bytesOf(node.inputs[weights])) : 1;
    std::vector<GpuMemory> memory;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        memory.push_back(clearedMemory(node.inputs[i], i == weights ? rotation : 1));
    }
    GpuMemory const output = clearedMemory(node.outputs[0]);
    GpuMemory const workspace(code.mostWorkspace);
    MatmulPlan::Pointers pointers;
    pointers.a = memory[first].data();
    pointers.b = memory[second].data();
    pointers.bias =
        described.bias < 0 ? nullptr : memory[static_cast<std::size_t>(described.bias)].data();
    pointers.addend =
        described.addend < 0 ? nullptr : memory[static_cast<std::size_t>(described.addend)].data();
    pointers.c = output.data();
    pointers.workspace = workspace.data();
    LaunchTimer timer;
    check(scope->streamSynchronize(nullptr), "clear the operands");
    std::vector<TimedAlgorithm> timed;
    for (cublasLtMatmulAlgo_t const& algorithm : plan.algorithms()) {
        if (!plan.use(algorithm)) {
            continue;
        }
        double const time = timer.milliseconds(
            [&](int i) {
                auto const copy = static_cast<std::size_t>(i % rotation);
                auto const* const turned = static_cast<std::byte const*>(memory[weights].data()) +
                                           copy * rotationStride(bytesOf(node.inputs[weights]));
                (weights == first ? pointers.a : pointers.b) = turned;
                return plan.run(pointers, timer.stream()) == CUBLAS_STATUS_SUCCESS;
            },
            rotation);
        if (time >= 0.0) {
            timed.push_back({time, plan.neededWorkspace(), algorithm});
        }
    }
    if (TimedAlgorithm const* const best = bestOf(timed); best != nullptr) {
        keep(*best, plan, product, hasOneShape(node), code);
    }
}

} // namespace kiln::targets::cuda
