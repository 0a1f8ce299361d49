// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/moe.h"

#include <algorithm>
#include <cmath>

#include "graph/op_registry.h"
#include "graph/quantization.h"

namespace kiln::graph {
namespace {

constexpr std::string_view kNames[] = {"hidden states", "selected experts", "scores",
                                       "gate weights",  "up weights",       "down weights",
                                       "gate biases",   "up biases",        "down biases"};

bool differ(int64_t got, int64_t wanted) {
    return got >= 0 && wanted >= 0 && got != wanted;
}

/// Throws unless an operand has this type and these extents; -1: any.
void expectOperand(InferContext const& context, int32_t role, DataType type, Dims const& wanted) {
    TensorFacts const& input = context.inputs[static_cast<std::size_t>(role)];
    bool fits = input.type == type && input.shape.rank == wanted.nbDims;
    for (int32_t i = 0; fits && i < wanted.nbDims; ++i) {
        fits = !differ(context.pool.constantOr(input.shape[i]), wanted.d[i]);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument, "{}, {} (input {}): expected {} {}, got {} {}.",
             where(context, MoE::kKind), kNames[role], role, nameOf(type), toText(wanted),
             nameOf(input.type), toText(knownDims(context.pool, input.shape)));
    }
}

/// Blocks lie along the last axis of the input of down.
std::string blockRefusal(MoE const& op, MoEOperands const& operands) {
    if (!isQuantized(op.quantizedType) || op.quantizedType == DataType::kUINT8 ||
        !isScaleType(op.scaleType)) {
        return fmt::format("expected fp4, fp8, int8 or int4 with scales of fp8, e8m0 or a "
                           "floating-point type, got {} with {}",
                           nameOf(op.quantizedType), nameOf(op.scaleType));
    }
    Dims const& block = op.blockShape;
    bool const isRow = std::all_of(block.d, block.d + block.nbDims - 1,
                                   [](int64_t extent) { return extent == 1; });
    if (!isRow || op.blockSize() < 1) {
        return fmt::format("expected a block shape such as [1,1,16], got {}", toText(block));
    }
    return operands.doubleScale ? std::string()
                                : "expected a factor of the scales of blocks (input 10), got none";
}

} // namespace

std::string MoE::problem() const {
    if (std::string text = enumProblem(activation, "MoEActType"); !text.empty()) {
        return text;
    }
    if (!isMember(quantizedType) || !isMember(scaleType)) {
        return fmt::format("expected types that are members of DataType, got {} and {}.",
                           static_cast<int32_t>(quantizedType), static_cast<int32_t>(scaleType));
    }
    if (blockShape.nbDims < 0 || blockShape.nbDims > Dims::MAX_DIMS) {
        return fmt::format("expected a block shape of rank 0 to {}, got rank {}.",
                           static_cast<int32_t>(Dims::MAX_DIMS), blockShape.nbDims);
    }
    if (std::isnan(limit) || !std::isfinite(alpha) || !std::isfinite(beta)) {
        return fmt::format("expected a limit that is a number, and finite alpha and beta, got {}, "
                           "{} and {}.",
                           limit, alpha, beta);
    }
    return {};
}

TypeRule MoE::typeRule(int32_t operand, int32_t inputCount) const {
    bool const own = operand == kExperts || operand >= kDownScale; // scales keep their type
    return own && operand < inputCount ? TypeRule::kFixed : TypeRule::kCompute;
}

void MoE::checkTokens(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& hidden = context.inputs[kHidden];
    TensorFacts const& experts = context.inputs[kExperts];
    if (hidden.shape.rank < 2) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected hidden states [batch, length, hidden], got {}. Reshape them.",
             where(context, kKind), toText(knownDims(pool, hidden.shape)));
    }
    DataType const type = experts.type == DataType::kINT64 ? DataType::kINT64 : DataType::kINT32;
    Dims wanted = knownDims(pool, hidden.shape);
    wanted.d[wanted.nbDims - 1] = -1;
    expectOperand(context, kExperts, type, wanted);
    wanted.d[wanted.nbDims - 1] = pool.constantOr(experts.shape[wanted.nbDims - 1]);
    expectOperand(context, kScores, hidden.type, wanted);
}

void MoE::checkWeights(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& hidden = context.inputs[kHidden];
    TensorFacts const& gate = context.inputs[kGate];
    int64_t const width = pool.constantOr(hidden.shape[hidden.shape.rank - 1]);
    expectOperand(context, kGate, hidden.type, {3, {-1, width, -1}});
    int64_t const experts = pool.constantOr(gate.shape[0]);
    int64_t const inner = pool.constantOr(gate.shape[2]);
    expectOperand(context, kUp, hidden.type, {3, {experts, width, inner}});
    expectOperand(context, kDown, hidden.type, {3, {experts, inner, width}});
    for (int32_t const bias : {kGateBias, kUpBias, kDownBias}) {
        if (context.has(static_cast<std::size_t>(bias))) {
            expectOperand(context, bias, hidden.type,
                          {2, {experts, bias == kDownBias ? width : inner}});
        }
    }
}

void MoE::checkScale(InferContext const& context) const {
    TensorFacts const& scale = context.inputs[kDownScale];
    Dims const dims = knownDims(context.pool, scale.shape);
    int64_t const experts =
        context.has(kGate) ? context.pool.constantOr(context.inputs[kGate].shape[0]) : -1;
    bool const fits =
        isFloating(scale.type) &&
        (dims.nbDims == 0 || (dims.nbDims == 1 && (dims.d[0] == 1 || !differ(dims.d[0], experts))));
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}, scale of the input of down (input {}): expected one floating-point number, or "
             "one for each of {} experts, got {} {}.",
             where(context, kKind), static_cast<int32_t>(kDownScale), experts, nameOf(scale.type),
             toText(dims));
    }
}

void MoE::expectOneNumber(InferContext const& context) const {
    TensorFacts const& scale = context.inputs[kDoubleScale];
    Dims const dims = knownDims(context.pool, scale.shape);
    if (!isFloating(scale.type) ||
        !(dims.nbDims == 0 || (dims.nbDims == 1 && !differ(dims.d[0], 1)))) {
        fail(ErrorKind::kInvalidArgument,
             "{}, factor of the scales of blocks (input {}): expected one floating-point number, "
             "got {} {}.",
             where(context, kKind), static_cast<int32_t>(kDoubleScale), nameOf(scale.type),
             toText(dims));
    }
}

void MoE::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, kRoles);
    expectFloating(context, kKind);
    checkTokens(context);
    bool const any = context.has(kGate) || context.has(kUp) || context.has(kDown);
    if (any && !(context.has(kGate) && context.has(kUp) && context.has(kDown))) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected weights of gate, up and down (inputs 3, 4 and 5), got some of them. Set "
             "all of them.",
             where(context, kKind));
    }
    if (any) {
        checkWeights(context);
    }
    if (context.has(kDownScale)) {
        checkScale(context);
    }
    if (context.has(kDoubleScale)) {
        expectOneNumber(context);
    }
    context.outputs[0].type = context.inputs[kHidden].type;
    context.outputs[0].shape = context.inputs[kHidden].shape;
}

MoESizes moeSizes(std::span<Dims const> inputs) {
    Dims const& hidden = inputs[MoE::kHidden];
    Dims const& experts = inputs[MoE::kExperts];
    MoESizes sizes;
    sizes.tokens = 1;
    for (int32_t i = 0; i + 1 < hidden.nbDims; ++i) {
        sizes.tokens *= hidden.d[i];
    }
    sizes.slots = experts.d[experts.nbDims - 1];
    sizes.experts = inputs[MoE::kGate].d[0];
    sizes.hidden = hidden.d[hidden.nbDims - 1];
    sizes.inner = inputs[MoE::kGate].d[2];
    return sizes;
}

std::string moeRefusal(MoE const& op, MoEOperands const& operands) {
    if (!operands.weights) {
        return "expected weights of experts (inputs 3, 4 and 5), got none. Set the gated weights";
    }
    if (op.quantizedType == DataType::kFLOAT) {
        return {};
    }
    if (op.quantizesBlocks()) {
        return blockRefusal(op, operands);
    }
    bool const known = op.quantizedType == DataType::kFP8 || op.quantizedType == DataType::kINT8;
    bool const isStatic = operands.scale && !operands.doubleScale;
    return known && isStatic ? std::string()
                             : fmt::format("expected quantization to fp8 or int8 by a given scale, "
                                           "got {}{}",
                                           nameOf(op.quantizedType),
                                           isStatic ? "" : " without a scale or a block shape");
}

void registerOp_moe(OpRegistry& registry) {
    registry.add(MoE::kKind, &MoE::load);
}

} // namespace kiln::graph
