// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a region as a chain: a product, or dequantizations of both operands or of the weights, in
// front of the anchor, the anchor, then operations that each take the result of the one before and,
// if they have two operands, an input of the region. x * sigmoid(x) and x * hard_sigmoid(x), which
// read x twice, are one operation of oneDNN each.
#include "targets/cpu/onednn/fusion.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "graph/ops/activation.h"
#include "graph/ops/convolution.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/quantize.h"
#include "graph/ops/region.h"
#include "graph/ops/unary.h"

namespace kiln::targets::cpu::onednn {
namespace {

using graph::Region;

std::optional<PostOp> postOpOf(graph::Activation const& op) {
    using Type = nvinfer1::ActivationType;
    switch (op.type) {
    case Type::kRELU: return PostOp{dnnl_eltwise_relu};
    case Type::kSIGMOID: return PostOp{dnnl_eltwise_logistic};
    case Type::kTANH: return PostOp{dnnl_eltwise_tanh};
    case Type::kLEAKY_RELU: return PostOp{dnnl_eltwise_relu, op.alpha};
    case Type::kELU: return PostOp{dnnl_eltwise_elu, op.alpha};
    case Type::kCLIP: return PostOp{dnnl_eltwise_clip, op.alpha, op.beta};
    case Type::kHARD_SIGMOID: return PostOp{dnnl_eltwise_hardsigmoid, op.alpha, op.beta};
    case Type::kGELU_ERF: return PostOp{dnnl_eltwise_gelu_erf};
    case Type::kGELU_TANH: return PostOp{dnnl_eltwise_gelu_tanh};
    default: return std::nullopt;
    }
}

std::optional<PostOp> postOpOf(graph::Unary const& op) {
    using Operation = nvinfer1::UnaryOperation;
    switch (op.operation) {
    case Operation::kABS: return PostOp{dnnl_eltwise_abs};
    case Operation::kNEG: return PostOp{dnnl_eltwise_linear, -1.0F};
    case Operation::kSQRT: return PostOp{dnnl_eltwise_sqrt};
    default: return std::nullopt;
    }
}

/// The operation with the result so far as its left or its right operand.
std::optional<dnnl_alg_kind_t> binaryOf(graph::ElementWise const& op, bool left) {
    using Operation = nvinfer1::ElementWiseOperation;
    switch (op.operation) {
    case Operation::kSUM: return dnnl_binary_add;
    case Operation::kPROD: return dnnl_binary_mul;
    case Operation::kMAX: return dnnl_binary_max;
    case Operation::kMIN: return dnnl_binary_min;
    case Operation::kSUB: return left ? std::optional(dnnl_binary_sub) : std::nullopt;
    case Operation::kDIV: return left ? std::optional(dnnl_binary_div) : std::nullopt;
    default: return std::nullopt;
    }
}

class Chain {
public:
    explicit Chain(Region const& region) : region_(region) {}

    Fusion read() {
        std::size_t const at = readDequantized() ? 2 : readWidened() || readProduct() ? 1 : 0;
        fusion_.anchor = region_.nodes()[at].op.get();
        fusion_.anchorInputs = region_.nodes()[at].inputs;
        if (fusion_.widens) {
            widenWeights();
        } else if (at == 1) {
            fusion_.setScale(fusion_.product[1]);
        } else if (at == 2) {
            scaleQuantized();
        }
        for (int32_t const input : fusion_.anchorInputs) {
            if (input < 0 || input >= region_.inputCount()) {
                refuse("expected a first operation that reads inputs of the region");
                return std::move(fusion_);
            }
        }
        value_ = region_.firstOutput(at);
        for (node_ = at + 1; node_ < region_.nodes().size() && fusion_.refusal.empty(); ++node_) {
            readNode(region_.nodes()[node_]);
        }
        if (fusion_.refusal.empty() &&
            (region_.results().size() != 1 || region_.results().front() != value_)) {
            refuse("expected one result, that of the last operation");
        }
        return std::move(fusion_);
    }

private:
    void refuse(std::string reason) { fusion_.refusal = std::move(reason); }

    /// The dequantization without a zero point that only this node reads, as this operand.
    Region::Node const* dequantizationAt(std::size_t reader, std::size_t operand) const {
        int32_t const value = region_.nodes()[reader].inputs[operand];
        int32_t const producer = value < 0 ? -1 : region_.producerOf(value);
        if (producer < 0 || static_cast<std::size_t>(producer) >= reader ||
            region_.readersOf(value) != 1) {
            return nullptr;
        }
        Region::Node const& node = region_.nodes()[static_cast<std::size_t>(producer)];
        auto const* op = dynamic_cast<graph::Dequantize const*>(node.op.get());
        bool const plain = op != nullptr && op->toType == DataType::kFLOAT &&
                           op->blockShape.nbDims == 0 && node.inputs.size() == 2;
        return plain ? &node : nullptr;
    }

    /// An anchor, third, of two dequantized operands.
    bool readDequantized() {
        if (region_.nodes().size() < 3 || region_.nodes()[2].inputs.size() < 2) {
            return false;
        }
        fusion_.quantized = dequantizationAt(2, 0) != nullptr && dequantizationAt(2, 1) != nullptr;
        return fusion_.quantized;
    }

    /// A convolution, second, of dequantized weights.
    bool readWidened() {
        if (region_.nodes().size() < 2 ||
            region_.nodes()[1].op->kind() != graph::Convolution::kKind ||
            region_.nodes()[1].inputs.size() < 2) {
            return false;
        }
        fusion_.widens = dequantizationAt(1, 1) != nullptr;
        return fusion_.widens;
    }

    void widenWeights() {
        Region::Node const& weights = *dequantizationAt(1, 1);
        fusion_.anchorInputs[1] = weights.inputs[0];
        fusion_.channelwise = {weights.inputs[1]};
    }

    /// The scales go behind the anchor, which reads the integers.
    void scaleQuantized() {
        Region::Node const& source = *dequantizationAt(2, 0);
        Region::Node const& weights = *dequantizationAt(2, 1);
        fusion_.anchorInputs[0] = source.inputs[0];
        fusion_.anchorInputs[1] = weights.inputs[0];
        fusion_.singles = {source.inputs[1]};
        fusion_.channelwise = {weights.inputs[1]};
        fusion_.postOps.push_back({dnnl_binary_mul, 0.0F, 0.0F, source.inputs[1]});
        fusion_.postOps.push_back({dnnl_binary_mul, 0.0F, 0.0F, weights.inputs[1]});
        if (fusion_.anchorInputs.size() > 2) {
            fusion_.channelwise.push_back(fusion_.anchorInputs[2]);
            fusion_.postOps.push_back({dnnl_binary_add, 0.0F, 0.0F, fusion_.anchorInputs[2]});
        }
    }

    /// The scale of the int8 that the last operation gives.
    std::optional<PostOp> quantization(Region::Node const& node) {
        auto const& op = static_cast<graph::Quantize const&>(*node.op);
        bool const fits =
            fusion_.quantized && op.toType == DataType::kINT8 && op.blockShape.nbDims == 0 &&
            node.inputs.size() == 2 && node.inputs[0] == value_ && node.inputs[1] >= 0 &&
            node.inputs[1] < region_.inputCount() && node_ + 1 == region_.nodes().size();
        if (!fits) {
            return std::nullopt;
        }
        fusion_.quantizes = true;
        fusion_.singles.push_back(node.inputs[1]);
        return PostOp{dnnl_binary_div, 0.0F, 0.0F, node.inputs[1]};
    }

    /// A product of two inputs that only a convolution reads.
    bool readProduct() {
        if (region_.nodes().size() < 2) {
            return false;
        }
        Region::Node const& first = region_.nodes()[0];
        Region::Node const& second = region_.nodes()[1];
        auto const* product = dynamic_cast<graph::ElementWise const*>(first.op.get());
        int32_t const value = region_.firstOutput(0);
        auto const isInput = [&](int32_t input) {
            return input >= 0 && input < region_.inputCount();
        };
        bool const found =
            product != nullptr && product->operation == nvinfer1::ElementWiseOperation::kPROD &&
            second.op->kind() == graph::Convolution::kKind && !second.inputs.empty() &&
            second.inputs[0] == value && region_.readersOf(value) == 1 &&
            first.inputs.size() == 2 && first.inputs[0] != first.inputs[1] &&
            std::all_of(first.inputs.begin(), first.inputs.end(), isInput);
        if (found) {
            fusion_.product = first.inputs;
        }
        return found;
    }

    void append(PostOp const& op) {
        fusion_.postOps.push_back(op);
        value_ = region_.firstOutput(node_);
    }

    void readNode(Region::Node const& node) {
        auto const* activation = dynamic_cast<graph::Activation const*>(node.op.get());
        if (activation != nullptr && readGate(*activation, node)) {
            return;
        }
        if (region_.readersOf(value_) != 1) {
            refuse("expected every result but the last to be read once");
            return;
        }
        std::optional<PostOp> op;
        if (activation != nullptr && node.inputs == std::vector{value_}) {
            op = postOpOf(*activation);
        } else if (auto const* unary = dynamic_cast<graph::Unary const*>(node.op.get());
                   unary != nullptr && node.inputs == std::vector{value_}) {
            op = postOpOf(*unary);
        } else if (auto const* two = dynamic_cast<graph::ElementWise const*>(node.op.get())) {
            op = binary(*two, node);
        } else if (node.op->kind() == graph::Quantize::kKind) {
            op = quantization(node);
        }
        if (op.has_value()) {
            append(*op);
        } else {
            refuse(fmt::format("oneDNN does not run operation {} ({}) after the first one", node_,
                               node.op->kind()));
        }
    }

    /// x * sigmoid(x) and x * hard_sigmoid(x): this node and the next.
    bool readGate(graph::Activation const& gate, Region::Node const& node) {
        using Type = nvinfer1::ActivationType;
        if ((gate.type != Type::kSIGMOID && gate.type != Type::kHARD_SIGMOID) ||
            node.inputs != std::vector{value_} || node_ + 1 >= region_.nodes().size() ||
            region_.readersOf(value_) != 2) {
            return false;
        }
        Region::Node const& next = region_.nodes()[node_ + 1];
        auto const* product = dynamic_cast<graph::ElementWise const*>(next.op.get());
        int32_t const gated = region_.firstOutput(node_);
        if (product == nullptr || region_.readersOf(gated) != 1 ||
            product->operation != nvinfer1::ElementWiseOperation::kPROD ||
            (next.inputs != std::vector{value_, gated} &&
             next.inputs != std::vector{gated, value_})) {
            return false;
        }
        ++node_;
        append(gate.type == Type::kSIGMOID ? PostOp{dnnl_eltwise_swish, 1.0F}
                                           : PostOp{dnnl_eltwise_hardswish, gate.alpha, gate.beta});
        return true;
    }

    std::optional<PostOp> binary(graph::ElementWise const& op, Region::Node const& node) const {
        if (node.inputs.size() != 2) {
            return std::nullopt;
        }
        bool const left = node.inputs[0] == value_;
        int32_t const other = node.inputs[left ? 1 : 0];
        std::optional<dnnl_alg_kind_t> const kind = binaryOf(op, left);
        if (node.inputs[left ? 0 : 1] != value_ || other < 0 || other >= region_.inputCount() ||
            !kind.has_value()) {
            return std::nullopt;
        }
        return PostOp{*kind, 0.0F, 0.0F, other};
    }

    Region const& region_;
    Fusion fusion_;
    int32_t value_ = 0;    ///< the result so far
    std::size_t node_ = 0; ///< the node that is read
};

} // namespace

void Fusion::setScale(int32_t input) {
    scale = input;
    anchorInputs[0] = product[input == product[0] ? 1 : 0];
}

bool Fusion::isSingle(std::size_t input) const {
    return std::count(singles.begin(), singles.end(), static_cast<int32_t>(input)) != 0;
}

bool Fusion::isChannelwise(std::size_t input) const {
    return std::count(channelwise.begin(), channelwise.end(), static_cast<int32_t>(input)) != 0;
}

std::string quantizedProblem(Fusion const& fusion, target::Workload const& workload) {
    if (!fusion.quantized && !fusion.widens) {
        return {};
    }
    bool const convolution = fusion.anchor->kind() == graph::Convolution::kKind;
    Dims const& output = workload.outputs[0];
    int64_t const channels = convolution ? output.d[1] : output.d[output.nbDims - 1];
    if (!convolution) {
        auto const& product = static_cast<graph::MatrixMultiply const&>(*fusion.anchor);
        if (product.operation[0] == nvinfer1::MatrixOperation::kVECTOR ||
            product.operation[1] == nvinfer1::MatrixOperation::kVECTOR) {
            return "expected a product of matrices of int8";
        }
    }
    for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
        Dims const& dims = workload.inputs[i];
        int64_t const count = volume(dims, "scale");
        if (fusion.isSingle(i) && count != 1) {
            return fmt::format("expected one scale for input or output, got {}", toText(dims));
        }
        if (!fusion.isChannelwise(i) || count == 1) {
            continue;
        }
        // The axis of the weights that has one number for each output channel.
        int32_t axis = 0;
        if (!convolution) {
            auto const& product = static_cast<graph::MatrixMultiply const&>(*fusion.anchor);
            axis = product.operation[1] == nvinfer1::MatrixOperation::kNONE ? dims.nbDims - 1
                                                                            : dims.nbDims - 2;
        }
        if (count != channels || axis < 0 || dims.d[axis] != channels) {
            return fmt::format("expected a scale for each of {} output channels, got {}", channels,
                               toText(dims));
        }
    }
    return {};
}

Fusion fusionOf(graph::Op const& op, std::size_t inputs) {
    Fusion fusion;
    if (auto const* several = dynamic_cast<Region const*>(&op)) {
        fusion = Chain(*several).read();
    } else {
        fusion.anchor = &op;
        fusion.anchorInputs.resize(inputs);
        std::iota(fusion.anchorInputs.begin(), fusion.anchorInputs.end(), 0);
    }
    std::string_view const kind = fusion.anchor->kind();
    if (fusion.refusal.empty() && kind != graph::Convolution::kKind &&
        kind != graph::MatrixMultiply::kKind) {
        fusion.refusal = fmt::format("expected a convolution or a matrix product as the first "
                                     "operation, got {}",
                                     kind);
    }
    auto const* region = dynamic_cast<Region const*>(&op);
    if (fusion.refusal.empty() &&
        (fusion.anchorInputs.size() < 2 ||
         (region != nullptr && static_cast<std::size_t>(region->inputCount()) != inputs))) {
        fusion.refusal = fmt::format("expected weights among its inputs, got {} inputs", inputs);
    }
    if (fusion.refusal.empty() && fusion.postOps.size() > 32) {
        fusion.refusal = fmt::format("expected at most 32 operations after the first one, got {}",
                                     fusion.postOps.size());
    }
    return fusion;
}

} // namespace kiln::targets::cpu::onednn
