// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/host_operation.h"

#include "base/tensor_layout.h"
#include "target/backend_registry.h"
#include "target/workload/workload.h"

namespace kiln::target {
namespace {

std::vector<OperandSpec> specsOf(std::span<HostOperand const> operands) {
    std::vector<OperandSpec> specs(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        specs[i].type = operands[i].type;
        specs[i].min = specs[i].opt = specs[i].max = operands[i].dims;
    }
    return specs;
}

std::vector<OperandType> typesOf(std::span<HostOperand const> operands) {
    std::vector<OperandType> types;
    for (HostOperand const& operand : operands) {
        types.push_back(operand.type);
    }
    return types;
}

std::vector<Dims> dimsOf(std::span<HostOperand const> operands) {
    std::vector<Dims> dims;
    for (HostOperand const& operand : operands) {
        dims.push_back(operand.dims);
    }
    return dims;
}

} // namespace

HostOperation::HostOperation(std::unique_ptr<Kernel> kernel, std::span<HostOperand const> inputs,
                             std::span<HostOperand const> outputs, std::string_view layer)
    : kernel_(std::move(kernel)), instance_(kernel_->instantiate()) {
    for (HostOperand const& output : outputs) {
        outputBytes_.push_back(
            storageBytes(output.type.type, output.type.format, output.dims, layer));
    }
    std::vector<Dims> const in = dimsOf(inputs);
    std::vector<Dims> const out = dimsOf(outputs);
    workspaceBytes_ = instance_->workspaceBytes(in, out);
    instance_->reshape(in, out);
}

std::unique_ptr<HostOperation> HostOperation::find(graph::Op const& op, std::string_view layer,
                                                   std::span<HostOperand const> inputs,
                                                   std::span<HostOperand const> outputs) {
    std::vector<OperandType> const inputTypes = typesOf(inputs);
    std::vector<OperandType> const outputTypes = typesOf(outputs);
    // Recipes may come from a file, and candidates trust their node.
    checkWorkload(op, {inputTypes, outputTypes, dimsOf(inputs), dimsOf(outputs)});
    Backend& host = BackendRegistry::instance().open("cpu");
    ByteWriter writer;
    op.save(writer);
    KernelRecord record{{}, std::string(op.kind()), writer.take(), {}, inputTypes, outputTypes};
    for (Candidate const& candidate :
         host.candidates({op, layer, specsOf(inputs), specsOf(outputs)})) {
        if (candidate.offered() && !candidate.compile) {
            record.kernel = candidate.kernel;
            std::unique_ptr<Kernel> kernel =
                host.load(record, std::vector<ConstantOperand>(inputs.size()));
            return std::unique_ptr<HostOperation>(
                new HostOperation(std::move(kernel), inputs, outputs, layer));
        }
    }
    return nullptr;
}

std::optional<std::vector<Bytes>> HostOperation::run(std::span<ByteView const> inputs) {
    std::vector<void const*> sources;
    for (ByteView const input : inputs) {
        sources.push_back(input.data());
    }
    std::vector<Bytes> results;
    std::vector<void*> targets;
    for (std::size_t const bytes : outputBytes_) {
        results.emplace_back(bytes);
        targets.push_back(results.back().data());
    }
    Bytes workspace(workspaceBytes_);
    Launch const launch = instance_->launch();
    KernelCall const call{sources.data(), targets.data(), workspace.data()};
    if (launch.run(launch.state, call, nullptr) != 0 || instance_->faulted()) {
        return std::nullopt;
    }
    return results;
}

} // namespace kiln::target
