// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_instance.h"

#include <algorithm>
#include <numeric>

#include "graph/op_registry.h"
#include "targets/cuda/cudnn/kernel_order.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

using target::KernelCall;
using target::Workload;

int64_t elementsIn(DenseTensor const& tensor) {
    return std::accumulate(tensor.dims.begin(), tensor.dims.end(), int64_t{1}, std::multiplies<>());
}

std::size_t bytesOf(DenseTensor const& tensor, DataType type) {
    return bytesFor(type, elementsIn(tensor));
}

/// Bytes of a padded input, a multiple of 256.
std::size_t paddedBytesOf(ConvolutionDescription const& description) {
    return (bytesOf(description.input, description.type) + 255) / 256 * 256;
}

/// As padChannels() pads.
int64_t paddedChannels(ConvolutionOperands const& operands, int64_t channels) {
    constexpr int64_t kGroup = 8;
    return operands.groups() == 1 ? (channels + kGroup - 1) / kGroup * kGroup : channels;
}

[[noreturn]] void failPacked(std::string const& wanted, std::string const& got) {
    fail(ErrorKind::kCorruptData,
         "[plan] packed kernel weights: expected {}, got {}. Build the plan again.", wanted, got);
}

[[noreturn]] void failFormats(std::string const& problem) {
    fail(ErrorKind::kUnsupported, "[shape] convolution by cuDNN: {}. Build the plan again.",
         problem);
}

} // namespace

LoadedConvolution::LoadedConvolution(target::KernelRecord const& plan,
                                     std::span<target::ConstantOperand const> constants)
    : record(plan), op(graph::OpRegistry::instance().load(plan.op, plan.parameters)),
      operands(*op, plan.inputs.size()), code(ConvolutionCode::load(plan.code)),
      helper(code.helper) {
    if (!operands.problem().empty()) {
        fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.", plan.kernel,
             operands.problem());
    }
    if (code.packs) {
        checkPacked(constants[operands.kernel()]);
    }
    Cudnn::expectPresent(); // contexts open it
}

void LoadedConvolution::checkPacked(target::ConstantOperand const& kernel) const {
    std::optional<Dims> const order = operands.orderedKernel(kernel.dims);
    if (!order.has_value() || order->nbDims < 3 || order->d[1] == 0) {
        failPacked("a matrix or weights of some channels", toText(kernel.dims));
    }
    std::size_t const plain =
        bytesFor(record.inputs[operands.kernel()].type, volume(*order, "kernel weights"));
    std::size_t const channels = static_cast<std::size_t>(order->d[1]);
    std::size_t const wanted =
        plain / channels * static_cast<std::size_t>(paddedChannels(operands, order->d[1]));
    if (kernel.bytes != wanted) {
        failPacked(fmt::format("{} bytes", wanted), fmt::format("{}", kernel.bytes));
    }
}

std::vector<target::PackedOperand> packedKernels(target::KernelRecord const& record) {
    constexpr uint16_t kChannelsLast = 1;
    if (!ConvolutionCode::load(record.code).packs) {
        return {};
    }
    auto const op = graph::OpRegistry::instance().load(record.op, record.parameters);
    ConvolutionOperands const operands(*op, record.inputs.size());
    if (!operands.problem().empty()) {
        fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
             record.kernel, operands.problem());
    }
    return {{operands.kernel(), kChannelsLast}};
}

Bytes packKernel(target::KernelRecord const& record, std::size_t operand,
                 target::ConstantOperand const& original) {
    auto const op = graph::OpRegistry::instance().load(record.op, record.parameters);
    ConvolutionOperands const operands(*op, record.inputs.size());
    std::optional<Dims> const order = operands.orderedKernel(original.dims);
    if (!order.has_value() || order->nbDims < 3) {
        failPacked("a matrix or weights of some channels", toText(original.dims));
    }
    return kernelWithChannelsLast({static_cast<std::byte const*>(original.host), original.bytes},
                                  *order, bytesFor(record.inputs[operand].type, 1),
                                  paddedChannels(operands, order->d[1]));
}

std::size_t workspaceFor(ConvolutionDescription const& description) {
    std::size_t bytes = std::size_t{16} << 20;
    for (DenseTensor const* const tensor :
         {&description.input, &description.kernel, &description.output}) {
        bytes += 2 * bytesOf(*tensor, description.type);
    }
    for (DenseTensor const& operand : description.operands) {
        bytes += 2 * bytesOf(operand, description.type);
    }
    return bytes;
}

ConvolutionInstance::ConvolutionInstance(LoadedConvolution const& loaded) : loaded_(loaded) {
    if (gpuProblem().empty()) {
        Cudnn::instance(); // not in the first run, which may be captured
    }
}

ConvolutionDescription ConvolutionInstance::describe(std::span<Dims const> inputs,
                                                     std::span<Dims const> outputs) const {
    Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
    ConvolutionDescription description = loaded_.operands.describe(workload);
    description.tf32 = loaded_.code.tf32;
    return description;
}

void ConvolutionInstance::reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) {
    ConvolutionDescription description = describe(inputs, outputs);
    if (std::string const problem = loaded_.operands.formatProblem(
            loaded_.record.inputs, loaded_.record.outputs[0], outputs[0].nbDims);
        !problem.empty()) {
        failFormats(problem);
    }
    plan_.reset();
    if (volume(outputs[0], "convolved tensor") == 0) {
        return;
    }
    int64_t const channels = description.input.dims[1];
    int64_t const taps = elementsIn(description.kernel) / description.kernel.dims[0];
    bool const padded = padChannels(description, loaded_.operands.groups());
    if (description.channelsLast && !loaded_.code.packs &&
        (padded || taps != description.kernel.dims[1])) {
        failFormats("expected kernel weights that are constants, for channels last");
    }
    makePlan(description);
    paddedBytes_ = padded ? paddedBytesOf(description) : 0;
    if (padded) {
        preparePadding(description, channels);
    } else if (!description.channelsLast) {
        int64_t const maps = description.output.dims[1];
        int64_t const planes = description.output.dims[0] * maps;
        prepareFill(planes, maps, elementsIn(description.output) / planes);
    }
}

std::size_t ConvolutionInstance::workspaceBytes(std::span<Dims const> inputs,
                                                std::span<Dims const> outputs) const {
    ConvolutionDescription description = describe(inputs, outputs);
    bool const padded = padChannels(description, loaded_.operands.groups());
    return (padded ? paddedBytesOf(description) : 0) + engineWorkspace(description);
}

/// The plan that was prepared at build time, so that nothing is compiled; else one of the engine
/// that was found then.
void ConvolutionInstance::makePlan(ConvolutionDescription const& description) {
    ConvolutionCode const& code = loaded_.code;
    std::size_t const workspace = engineWorkspace(description);
    if (code.version != Cudnn::instance().version()) { // each version numbers its own engines
        plan_.emplace(description, workspace);
        return;
    }
    if (!code.prepared.empty() && code.preparedFor == ConvolutionPlan::placeOf(description)) {
        try {
            plan_.emplace(description, workspace, ByteView(code.prepared));
            return;
        } catch (Error const& error) {
            if (error.kind() == ErrorKind::kOutOfMemory) {
                throw;
            }
        }
    }
    plan_.emplace(description, workspace, code.engine);
}

void ConvolutionInstance::prepareFill(int64_t planes, int64_t maps, int64_t plane) {
    constexpr int64_t kPerBlock = 2048;
    fill_ = {planes, maps, plane, (plane + kPerBlock - 1) / kPerBlock};
    helper_.set(loaded_.helper, {launchBlocks("bias_fill", planes * fill_.blocks, 1)});
    helper_.describe({1, 1, false, nullptr, &fill_});
}

void ConvolutionInstance::preparePadding(ConvolutionDescription const& description,
                                         int64_t channels) {
    int64_t const padded = description.input.dims[1];
    padding_ = {elementsIn(description.input) / padded, channels, padded};
    helper_.set(loaded_.helper, {launchOver("pad_channels", padding_.positions * (padded / 8))});
    helper_.describe({1, 1, false, nullptr, &padding_});
}

int32_t ConvolutionInstance::run(void* state, KernelCall const& call,
                                 target::StreamHandle stream) noexcept {
    auto& self = *static_cast<ConvolutionInstance*>(state);
    return self.plan_.has_value() ? self.convolve(call, stream) : 0;
}

bool ConvolutionInstance::launchHelper(void const* const* from, void* const* to,
                                       CUstream stream) noexcept {
    if (KernelLaunch::run(&helper_, {from, to, nullptr}, stream) != 0) [[unlikely]] {
        failure_ = helper_.failureText();
        return false;
    }
    return true;
}

int32_t ConvolutionInstance::convolve(KernelCall const& call, CUstream stream) noexcept {
    ConvolutionOperands const& operands = loaded_.operands;
    ConvolutionPlan::Pointers pointers;
    pointers.input = call.inputs[operands.input()];
    pointers.kernel = call.inputs[operands.kernel()];
    int32_t const biasAt = operands.bias();
    pointers.bias = biasAt < 0 ? nullptr : call.inputs[biasAt];
    for (std::size_t i = 0; i < operands.stepOperands().size(); ++i) {
        pointers.operands[i] = call.inputs[operands.stepOperands()[i]];
    }
    pointers.output = call.outputs[0];
    pointers.workspace = call.workspace;
    if (!isAligned(pointers)) [[unlikely]] {
        return 1;
    }
    if (paddedBytes_ > 0) {
        void* const padded = call.workspace;
        if (!launchHelper(&pointers.input, &padded, stream)) [[unlikely]] {
            return 1;
        }
        pointers.input = padded;
        pointers.workspace = static_cast<std::byte*>(call.workspace) + paddedBytes_;
    } else if (plan_->biasWay() == BiasWay::kFilled &&
               !launchHelper(&pointers.bias, call.outputs, stream)) [[unlikely]] {
        return 1;
    }
    cudnnStatus_t const status = plan_->run(pointers, stream);
    if (status != CUDNN_STATUS_SUCCESS) [[unlikely]] {
        failure_ = Cudnn::instance().textOf(status);
    }
    return status == CUDNN_STATUS_SUCCESS ? 0 : 1;
}

bool ConvolutionInstance::isAligned(ConvolutionPlan::Pointers const& pointers) noexcept {
    auto bits =
        reinterpret_cast<uintptr_t>(pointers.input) | reinterpret_cast<uintptr_t>(pointers.kernel) |
        reinterpret_cast<uintptr_t>(pointers.bias) | reinterpret_cast<uintptr_t>(pointers.output);
    for (void const* const operand : pointers.operands) {
        bits |= reinterpret_cast<uintptr_t>(operand);
    }
    bool const good = bits % kCudnnAlignment == 0;
    if (!good) [[unlikely]] {
        failure_ = fmt::format("cuDNN expects operands at multiples of {} bytes, got {}, {}, {}, "
                               "{}",
                               kCudnnAlignment, pointers.input, pointers.kernel, pointers.bias,
                               pointers.output);
    }
    return good;
}

} // namespace kiln::targets::cuda
