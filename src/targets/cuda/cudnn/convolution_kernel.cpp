// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KernelRecord::code: uint8 whether there is a workspace; uint64 version of the library at build
// time (0: the build had none); the code of kernels/bias_fill.cuh.
#include "targets/cuda/cudnn/convolution_kernel.h"

#include <algorithm>
#include <optional>

#include "graph/op_registry.h"
#include "target/workload/workload.h"
#include "targets/cuda/cudnn/convolution_plan.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernel_source.h"
#include "targets/cuda/loaded_code.h"

namespace kiln::targets::cuda {
namespace {

using target::KernelCall;
using target::NodeSpec;
using target::OperandType;
using target::Workload;

struct BiasFillArguments {
    int64_t planes = 0;
    int64_t maps = 1;
    int64_t plane = 0;
    int64_t blocks = 1;
};

/// The data that a kernel loads from a plan.
struct LoadedConvolution {
    target::KernelRecord record;
    std::unique_ptr<graph::Op> op;
    bool hasWorkspace = false;
    std::optional<LoadedCode> code;

    graph::Convolution const& convolution() const {
        return static_cast<graph::Convolution const&>(*op);
    }
};

class ConvolutionInstance final : public target::KernelInstance {
public:
    explicit ConvolutionInstance(LoadedConvolution const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        target::checkLinear(loaded_.convolution(), workload);
        target::checkWorkload(loaded_.convolution(), workload);
        target::ConvolutionWorkload const p =
            target::convolutionWorkload(loaded_.convolution(), workload);
        kernelAt_ = p.kernelAt;
        biasAt_ = p.biasAt;
        plan_.reset();
        if (volume(outputs[0], "convolved tensor") == 0) {
            return;
        }
        plan_.emplace(describeConvolution(p, workload.type()), workspaceBytes(inputs, outputs));
        fill_.arguments = {p.batch * p.maps, p.maps, p.outputPlane(), 1};
        prepareFill();
    }

    target::Launch launch() override { return {&run, this}; }

    /// Twice the size of all operands, for copies in an engine's preferred layout, plus 16 MiB.
    std::size_t workspaceBytes(std::span<Dims const> inputs,
                               std::span<Dims const> outputs) const override {
        if (!loaded_.hasWorkspace) {
            return 0;
        }
        std::size_t bytes = std::size_t{16} << 20;
        for (std::span<Dims const> const side : {inputs, outputs}) {
            for (Dims const& dims : side) {
                bytes += 2 * bytesFor(loaded_.record.inputs[0].type, volume(dims, "operand"));
            }
        }
        return bytes;
    }

    std::string failureText() const override { return failure_; }

private:
    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        auto& self = *static_cast<ConvolutionInstance*>(state);
        return self.plan_.has_value() ? self.convolve(call, stream) : 0;
    }

    void prepareFill() {
        constexpr int64_t kPerBlock = 2048;
        BiasFillArguments& arguments = fill_.arguments;
        arguments.blocks = (arguments.plane + kPerBlock - 1) / kPerBlock;
        fill_.launch.set(*loaded_.code,
                         {launchBlocks("bias_fill", arguments.planes * arguments.blocks, 1)});
        fill_.launch.describe({1, 1, false, nullptr, &arguments});
    }

    int32_t convolve(KernelCall const& call, CUstream stream) noexcept {
        ConvolutionPlan::Pointers const pointers{call.inputs[0], call.inputs[kernelAt_],
                                                 biasAt_ == 0 ? nullptr : call.inputs[biasAt_],
                                                 call.outputs[0], call.workspace};
        if (!aligned(pointers)) [[unlikely]] {
            failure_ = fmt::format("cuDNN expects operands at multiples of {} bytes, got {}, {}, "
                                   "{}, {}",
                                   kCudnnAlignment, pointers.input, pointers.kernel, pointers.bias,
                                   pointers.output);
            return 1;
        }
        if (plan_->biasWay() == BiasWay::kFilled) {
            KernelCall const fill{call.inputs + biasAt_, call.outputs, nullptr};
            if (KernelLaunch::run(&fill_.launch, fill, stream) != 0) [[unlikely]] {
                failure_ = fill_.launch.failureText();
                return 1;
            }
        }
        cudnnStatus_t const status = plan_->run(pointers, stream);
        if (status != CUDNN_STATUS_SUCCESS) [[unlikely]] {
            failure_ = Cudnn::instance().textOf(status);
        }
        return status == CUDNN_STATUS_SUCCESS ? 0 : 1;
    }

    static bool aligned(ConvolutionPlan::Pointers const& pointers) noexcept {
        auto const bits = reinterpret_cast<uintptr_t>(pointers.input) |
                          reinterpret_cast<uintptr_t>(pointers.kernel) |
                          reinterpret_cast<uintptr_t>(pointers.bias) |
                          reinterpret_cast<uintptr_t>(pointers.output);
        return bits % kCudnnAlignment == 0;
    }

    struct Fill {
        BiasFillArguments arguments;
        KernelLaunch launch;
    };

    LoadedConvolution const& loaded_;
    std::optional<ConvolutionPlan> plan_; ///< none: the result is empty
    Fill fill_;
    std::size_t kernelAt_ = 1;
    std::size_t biasAt_ = 0;
    std::string failure_; ///< of the last launch
};

class ConvolutionKernel final : public target::Kernel {
public:
    explicit ConvolutionKernel(target::KernelRecord const& record) {
        loaded_.record = record;
        loaded_.op =
            graph::OpRegistry::instance().load(graph::Convolution::kKind, record.parameters);
        ByteReader reader(record.code, "code of a convolution");
        loaded_.hasWorkspace = reader.get<uint8_t>() != 0;
        static_cast<void>(reader.get<uint64_t>()); // each version chooses its own engines
        ByteView const rest = ByteView(record.code).subspan(sizeof(uint8_t) + sizeof(uint64_t));
        loaded_.code.emplace(rest);
        if (gpuProblem().empty()) {
            static_cast<void>(Cudnn::instance());
        }
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<ConvolutionInstance>(loaded_);
    }

private:
    LoadedConvolution loaded_;
};

/// cuDNN's engines need equal padding on both sides. With dynamic shapes, only explicit equal
/// padding of the layer guarantees that.
std::string refusePadding(graph::Convolution const& op, NodeSpec const& node) {
    using nvinfer1::PaddingMode;
    Dims const& least = node.inputs[0].min;
    Dims const& most = node.inputs[0].max;
    bool varies = false;
    for (int32_t i = 2; i < least.nbDims; ++i) {
        varies = varies || least.d[i] != most.d[i];
    }
    bool symmetric = sameDims(op.window.prePadding, op.window.postPadding) &&
                     op.window.paddingMode == PaddingMode::kEXPLICIT_ROUND_DOWN;
    if (!varies) {
        std::vector<OperandType> types;
        std::vector<Dims> inputs;
        for (target::OperandSpec const& input : node.inputs) {
            types.push_back(input.type);
            inputs.push_back(input.max);
        }
        OperandType const outputType = node.outputs[0].type;
        Dims const output = node.outputs[0].max;
        Workload const workload{types, {&outputType, 1}, inputs, {&output, 1}};
        symmetric = isSymmetric(
            describeConvolution(target::convolutionWorkload(op, workload), outputType.type));
    }
    return symmetric ? std::string() : "expected the same padding on both sides of each axis";
}

std::string refuse(NodeSpec const& node) {
    std::string reason = target::refuseFormats(node);
    reason = reason.empty() ? target::refuseUnlessFloat(node) : reason;
    if (reason.empty() && node.inputs[0].max.d[1] == 0) {
        reason = "expected channels, got none";
    }
    if (reason.empty()) {
        reason = refusePadding(static_cast<graph::Convolution const&>(node.op), node);
    }
    return reason;
}

/// A build without a GPU assumes that the library is present where the plan runs.
std::string lacks() {
    return gpuProblem().empty() ? Cudnn::problem() : std::string();
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 5e-6;
    constexpr double kBytesPerSecond = 2e12;
    double const perSecond = node.inputs[0].type.type == DataType::kFLOAT ? 2e13 : 1e14;
    auto const& op = static_cast<graph::Convolution const&>(node.op);
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                              target::convolutionOperations(op, node) / perSecond);
}

Bytes codeWith(NodeSpec const& node, std::span<std::string const> architectures,
               bool hasWorkspace) {
    ByteWriter writer;
    writer.put<uint8_t>(hasWorkspace ? 1 : 0);
    writer.put<uint64_t>(Cudnn::problem().empty() ? Cudnn::instance().version() : 0);
    Bytes code = writer.take();
    Bytes const fill = compileFor(
        sourceOf("bias_fill", {{"KILN_ELEMENT", moverTypeName(node.inputs[0].type.type)}}),
        architectures);
    code.insert(code.end(), fill.begin(), fill.end());
    return code;
}

} // namespace

target::KernelEntry convolutionCudnn() {
    target::KernelEntry entry;
    entry.op = graph::Convolution::kKind;
    entry.name = "convolution_cudnn";
    entry.refuse = &refuse;
    entry.lacks = &lacks;
    entry.estimate = &estimate;
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, true);
    };
    entry.load = [](target::KernelRecord const& record,
                    std::span<target::ConstantOperand const>) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<ConvolutionKernel>(record);
    };
    return entry;
}

target::KernelEntry convolutionCudnnBare() {
    target::KernelEntry entry = convolutionCudnn();
    entry.name = "convolution_cudnn_bare";
    entry.estimate = [](NodeSpec const& node) { return 1.1 * estimate(node); };
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, false);
    };
    return entry;
}

} // namespace kiln::targets::cuda
