// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_kernel.h"

#include <algorithm>

#include "target/workload/node_at.h"
#include "targets/cuda/blaslt/product_operands.h"
#include "targets/cuda/cudnn/convolution_instance.h"
#include "targets/cuda/cudnn/engine_timing.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_source.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/library_version.h"
#include "targets/cuda/tf32.h"

namespace kiln::targets::cuda {
namespace {

using target::NodeAt;
using target::NodeSpec;
using target::OperandSpec;
using target::OperandType;
using target::Workload;

class ConvolutionKernel final : public target::Kernel {
public:
    ConvolutionKernel(target::KernelRecord const& record,
                      std::span<target::ConstantOperand const> constants)
        : loaded_(record, constants) {}

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<ConvolutionInstance>(loaded_);
    }

private:
    LoadedConvolution loaded_;
};

/// The node as described to cuDNN, at one corner of the profiles.
ConvolutionDescription describeAt(ConvolutionOperands const& operands, NodeSpec const& node,
                                  NodeAt::Point corner) {
    return operands.describe(NodeAt(node, corner).workload());
}

/// cuDNN's engines need equal padding on both sides. With dynamic shapes, only explicit equal
/// padding of the layer guarantees that.
std::string refusePadding(ConvolutionOperands const& operands, NodeSpec const& node) {
    using nvinfer1::PaddingMode;
    if (operands.isProduct()) {
        return {};
    }
    graph::Convolution const& op = operands.convolution();
    Dims const& least = node.inputs[operands.input()].min;
    Dims const& most = node.inputs[operands.input()].max;
    bool varies = false;
    for (int32_t i = 2; i < least.nbDims; ++i) {
        varies = varies || least.d[i] != most.d[i];
    }
    bool symmetric = sameDims(op.window.prePadding, op.window.postPadding) &&
                     op.window.paddingMode == PaddingMode::kEXPLICIT_ROUND_DOWN;
    if (!varies) {
        symmetric = isSymmetric(describeAt(operands, node, NodeAt::Point::kMost));
    }
    return symmetric ? std::string() : "expected the same padding on both sides of each axis";
}

/// Channels last: 16-bit elements, and weights that can be put in that order when they are loaded.
std::string refuseChannelsLast(ConvolutionOperands const& operands, NodeSpec const& node) {
    if (node.inputs[operands.input()].type.type == DataType::kFLOAT) {
        return "expected 16-bit elements with channels last, got float32";
    }
    return node.inputs[operands.kernel()].constant
               ? std::string()
               : "expected kernel weights that are constants, for channels last";
}

/// A matrix product: rows of a constant number of channels that need no padding, a constant matrix,
/// and operations behind that cuBLASLt does not have.
std::string refuseProduct(ConvolutionOperands const& operands, NodeSpec const& node) {
    constexpr int64_t kGroup = 8; // as padChannels() pads
    if (ProductOperands(node.op, node.inputs.size()).problem().empty()) {
        return "cuBLASLt has these operations, and more algorithms";
    }
    auto const& op = static_cast<graph::MatrixMultiply const&>(
        *static_cast<graph::Region const&>(node.op).nodes().front().op);
    OperandSpec const& left = node.inputs[operands.input()];
    Dims const& matrix = node.inputs[operands.kernel()].opt;
    int32_t const rank = node.outputs[0].opt.nbDims;
    bool const plain = op.operation[0] == nvinfer1::MatrixOperation::kNONE &&
                       op.operation[1] != nvinfer1::MatrixOperation::kVECTOR &&
                       left.opt.nbDims == rank && rank >= 2 && matrix.nbDims >= 2;
    if (!plain) {
        return "expected rows that are multiplied by a matrix";
    }
    auto const last = [](Dims const& dims) { return dims.d[dims.nbDims - 1]; };
    int64_t const channels = last(left.opt);
    int64_t const maps = last(node.outputs[0].opt);
    if (channels == 0 || channels % kGroup != 0 || maps % kGroup != 0 ||
        volume(matrix, "matrix") != channels * maps) {
        return fmt::format("expected one matrix whose extents are multiples of {}, got {}", kGroup,
                           toText(matrix));
    }
    try {
        for (auto const corner : NodeAt::kPoints) {
            static_cast<void>(describeAt(operands, node, corner));
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

/// cuDNN 9 compiles kernels that read other operands, such as one vector for each image, at
/// addresses that are not aligned, and the GPU's context is lost.
bool isWholeOrByChannel(OperandSpec const& operand, OperandSpec const& result) {
    if (sameDims(operand.min, result.min) && sameDims(operand.max, result.max)) {
        return true;
    }
    for (int32_t i = 0; i < operand.max.nbDims; ++i) {
        if (i != 1 && operand.max.d[i] != 1) {
            return false;
        }
    }
    return true;
}

/// All operands have one type and the result's rank; the operands of steps may repeat.
std::string refuseTypes(ConvolutionOperands const& operands, NodeSpec const& node) {
    DataType const type = node.inputs[operands.input()].type.type;
    if (!isFloating(type)) {
        return fmt::format("expected input 0 of float32, float16 or bfloat16, got {}",
                           nameOf(type));
    }
    for (std::size_t const operand : operands.stepOperands()) {
        if (node.inputs[operand].type.type != type ||
            (node.inputs[operand].opt.nbDims != node.outputs[0].opt.nbDims &&
             !operands.isProduct())) {
            return "expected operands of the convolution's type and rank";
        }
        if (!operands.isProduct() && !isWholeOrByChannel(node.inputs[operand], node.outputs[0])) {
            return "expected operands of the result's shape, or of one value for each channel";
        }
    }
    return node.outputs[0].type.type == type ? std::string()
                                             : "expected a result of the convolution's type";
}

/// The same for TF32: channels that need no padding.
std::string refuseChannelsLastTf32(ConvolutionOperands const& operands, NodeSpec const& node) {
    constexpr int64_t kGroup = 8; // as padChannels() pads
    if (operands.isProduct() || node.inputs[operands.input()].opt.d[1] % kGroup != 0) {
        return fmt::format("expected a multiple of {} channels, for channels last in float32",
                           kGroup);
    }
    return node.inputs[operands.kernel()].constant
               ? std::string()
               : "expected kernel weights that are constants, for channels last";
}

std::string refuseWith(NodeSpec const& node, bool tf32) {
    ConvolutionOperands const operands(node.op, node.inputs.size());
    std::string reason = operands.problem();
    if (reason.empty() && node.op.kind() == graph::Region::kKind) {
        reason = refuseUnlessUniform(static_cast<graph::Region const&>(node.op), node);
    }
    if (reason.empty()) {
        reason = operands.formatProblem(typesOf(node.inputs), node.outputs[0].type,
                                        node.outputs[0].opt.nbDims);
    }
    reason = reason.empty() ? refuseTypes(operands, node) : reason;
    if (reason.empty() && operands.isChannelsLast(node.inputs[operands.input()].type.format)) {
        reason = tf32 ? refuseChannelsLastTf32(operands, node) : refuseChannelsLast(operands, node);
    }
    if (reason.empty() && operands.isProduct()) {
        return refuseProduct(operands, node);
    }
    if (reason.empty() && node.inputs[operands.input()].max.d[1] == 0) {
        reason = "expected channels, got none";
    }
    return reason.empty() ? refusePadding(operands, node) : reason;
}

std::string refuse(NodeSpec const& node) {
    return refuseWith(node, false);
}

std::string refuseTf32(NodeSpec const& node) {
    std::string const reason = refuseUnlessTf32(node);
    if (reason.empty() && ConvolutionOperands(node.op, node.inputs.size()).isProduct()) {
        return "cuBLASLt multiplies matrices in TF32, and compiles nothing";
    }
    return reason.empty() ? refuseWith(node, true) : reason;
}

/// A build without a GPU assumes that the library is present where the plan runs.
std::string lacks() {
    return gpuProblem().empty() ? Cudnn::problem() : std::string();
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 5e-6;
    ConvolutionOperands const operands(node.op, node.inputs.size());
    OperandSpec const& input = node.inputs[operands.input()];
    double const perSecond = input.type.type == DataType::kFLOAT           ? 2e13
                             : !operands.isChannelsLast(input.type.format) ? 1e14
                                                                           : 3e14;
    double const operations =
        operands.isProduct() ? ProductOperands(node.op, node.inputs.size()).operations(node)
                             : target::convolutionOperations(
                                   operands.convolution(),
                                   {operands.convolution(), node.layer, {&input, 1}, node.outputs});
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond, operations / perSecond);
}

/// Finds the engine and checks that cuDNN takes the graph at the corners of the profiles, so that
/// another kernel is chosen if it does not. If there is one shape only, the workspace becomes what
/// the engine needs.
void tryOut(NodeSpec const& node, ConvolutionOperands const& operands, ConvolutionCode& code) {
    bool const hasWorkspace = code.workspace != 0;
    std::size_t needed = 0;
    std::vector<std::string> known; // a plan may be compiled, which takes long
    for (auto const corner : NodeAt::kPoints) {
        ConvolutionDescription description = describeAt(operands, node, corner);
        description.tf32 = code.tf32;
        if (std::find(description.output.dims.begin(), description.output.dims.end(), 0) !=
            description.output.dims.end()) {
            continue;
        }
        padChannels(description, operands.groups());
        if (std::find(known.begin(), known.end(), description.text()) != known.end()) {
            continue;
        }
        known.push_back(description.text());
        std::size_t const workspace = hasWorkspace ? workspaceFor(description) : 0;
        if (corner == NodeAt::Point::kOptimum && (description.channelsLast || code.tf32)) {
            if (std::optional<TimedEngine> found = fastestEngine(description, workspace)) {
                code.engine = std::move(found->choice);
                code.preparedFor = ConvolutionPlan::placeOf(description);
                code.prepared = std::move(found->prepared);
                needed = found->workspaceBytes;
            }
        }
        if (corner != NodeAt::Point::kOptimum || !code.engine.has_value()) {
            needed = ConvolutionPlan(description, workspace, code.engine).workspaceBytes();
        }
    }
    if (hasWorkspace && known.size() == 1) {
        code.workspace = needed;
    }
}

/// Whether the plan has the kernel weights with their channels last. Weights of one position are in
/// that order already.
bool packsKernel(NodeSpec const& node, ConvolutionOperands const& operands) {
    OperandSpec const& kernel = node.inputs[operands.kernel()];
    std::optional<Dims> const order = operands.orderedKernel(kernel.opt);
    if (!kernel.constant || !order.has_value() || order->nbDims < 3) {
        return false;
    }
    constexpr int64_t kGroup = 8; // as padChannels() pads
    bool const pads = operands.groups() == 1 && order->d[1] % kGroup != 0;
    return pads || volume(*order, "kernel weights") != order->d[0] * order->d[1];
}

Bytes codeWith(NodeSpec const& node, std::span<std::string const> architectures, uint64_t workspace,
               bool tf32 = false) {
    ConvolutionOperands const operands(node.op, node.inputs.size());
    OperandType const type = node.inputs[operands.input()].type;
    bool const isRegion = node.op.kind() != graph::Convolution::kKind;
    ConvolutionCode code;
    code.workspace = workspace;
    code.tf32 = tf32;
    code.version = Cudnn::problem().empty() ? Cudnn::instance().version() : 0;
    bool const last = operands.isChannelsLast(type.format);
    bool const special = isRegion || last;
    code.packs = last && packsKernel(node, operands);
    if (special && !deviceRuns(architectures)) {
        fail(ErrorKind::kUnsupported, "cuDNN may not take this graph, and no GPU is here to ask");
    }
    if (special || (deviceRuns(architectures) && Cudnn::problem().empty())) {
        tryOut(node, operands, code);
    }
    SourceText const helper =
        last ? sourceOf("pad_channels", {})
             : sourceOf("bias_fill", {{"KILN_ELEMENT", moverTypeName(type.type)}});
    code.helper = compileFor(helper, architectures);
    return code.save();
}

} // namespace

target::KernelEntry convolutionCudnn() {
    target::KernelEntry entry;
    entry.op = graph::Convolution::kKind;
    entry.name = "convolution_cudnn";
    entry.refuse = &refuse;
    entry.lacks = &lacks;
    entry.library = [] { return "cuDNN " + versionOf<Cudnn>(); };
    entry.estimate = &estimate;
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, ConvolutionCode::kByShape);
    };
    entry.load =
        [](target::KernelRecord const& record,
           std::span<target::ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<ConvolutionKernel>(record, constants);
    };
    entry.packs = &packedKernels;
    entry.pack = &packKernel;
    return entry;
}

target::KernelEntry convolutionCudnnBare() {
    target::KernelEntry entry = convolutionCudnn();
    entry.name = "convolution_cudnn_bare";
    entry.refuse = [](NodeSpec const& node) {
        std::string reason = target::refuseFormats(node); // channels last may need to be padded
        return reason.empty() ? refuse(node) : reason;
    };
    entry.estimate = [](NodeSpec const& node) { return 1.1 * estimate(node); };
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, 0);
    };
    return entry;
}

target::KernelEntry convolutionCudnnTf32() {
    target::KernelEntry entry = convolutionCudnn();
    entry.name = "convolution_cudnn_tf32";
    entry.refuse = &refuseTf32;
    entry.estimate = [](NodeSpec const& node) { return 0.5 * estimate(node); };
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, ConvolutionCode::kByShape, true);
    };
    return entry;
}

target::KernelEntry regionCudnnTf32() {
    target::KernelEntry entry = convolutionCudnnTf32();
    entry.op = graph::Region::kKind;
    entry.name = "region_cudnn_tf32";
    return entry;
}

target::KernelEntry regionCudnn() {
    target::KernelEntry entry = convolutionCudnn();
    entry.op = graph::Region::kKind;
    entry.name = "region_cudnn";
    return entry;
}

} // namespace kiln::targets::cuda
