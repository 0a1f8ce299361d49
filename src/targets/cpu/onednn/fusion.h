// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <oneapi/dnnl/dnnl_types.h>

#include "graph/op.h"
#include "target/workload/workload.h"

namespace kiln::targets::cpu::onednn {

/// A pointwise operation on the result of the anchor, in oneDNN's terms.
struct PostOp {
    dnnl_alg_kind_t kind = dnnl_alg_kind_undef;
    float alpha = 0.0F;
    float beta = 0.0F;
    int32_t operand = -1; ///< binary: the input of the kernel; -1: eltwise
};

/// What a kernel computes: a convolution or matrix product, the anchor, with pointwise operations
/// on its result and a product in front. An op alone is an anchor without such operations.
struct Fusion {
    graph::Op const* anchor = nullptr;
    std::vector<int32_t> anchorInputs; ///< inputs of the kernel
    std::vector<PostOp> postOps;
    /// A product of two inputs in front of the anchor, which reads it as operand 0; empty: none.
    std::vector<int32_t> product;
    /// The factor of `product` that scales the channels of the other one, the source; -1: none.
    int32_t scale = -1;
    /// The anchor multiplies int8: its source and its weights are dequantized in front of it, and
    /// the first operations behind it are the products with both scales, then a bias.
    bool quantized = false;
    bool quantizes = false; ///< the last operation divides by a scale and rounds to int8
    /// A float32 convolution whose int8 weights are dequantized in front of it. The kernel does
    /// that when it is opened, so that the plan has them as they are.
    bool widens = false;
    std::vector<int32_t> singles;     ///< inputs that are one number: scales of tensors
    std::vector<int32_t> channelwise; ///< inputs with a number for each output channel
    /// The input of the kernel whose memory the output takes, or -1. A sum adds it to the result.
    int32_t overwritten = -1;
    std::string refusal; ///< why oneDNN cannot run it; empty if it can

    /// Nodes of the region in front of the anchor.
    int32_t nodesAhead() const { return quantized ? 2 : widens || !product.empty() ? 1 : 0; }
    /// With `widens`: the scale of the weights.
    std::size_t scaleOfWeights() const { return static_cast<std::size_t>(channelwise.at(0)); }
    std::size_t inputOfAnchor(std::size_t operand) const {
        return static_cast<std::size_t>(anchorInputs.at(operand));
    }
    bool isSingle(std::size_t input) const;
    bool isChannelwise(std::size_t input) const;
    /// Takes one factor of `product` for the scale and the other for the source of the anchor.
    void setScale(int32_t input);
    /// Whether this operation adds what the output has.
    bool addsOutput(PostOp const& op) const { return op.operand >= 0 && op.operand == overwritten; }
};

/// Why the operands of an anchor with int8 operands, and their scales, are not those of oneDNN;
/// empty if they are, and for other anchors.
std::string quantizedProblem(Fusion const& fusion, target::Workload const& workload);

/// `inputs` is the number of inputs of the op.
Fusion fusionOf(graph::Op const& op, std::size_t inputs);

} // namespace kiln::targets::cpu::onednn
