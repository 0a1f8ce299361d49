// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/fill.h"

#include <algorithm>
#include <cmath>

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::FillOperation;

std::string Fill::problem() const {
    if (std::string text = enumProblem(operation, "FillOperation"); !text.empty()) {
        return text;
    }
    bool const isInteger = type == DataType::kINT32 || type == DataType::kINT64;
    if (!isMember(type) || (!isFloating(type) && (isRandom() || !isInteger))) {
        return fmt::format("expected a floating-point type{}, got {}.",
                           isRandom() ? " for random values" : ", int32 or int64",
                           isMember(type) ? nameOf(type) : "an unknown one");
    }
    if (!std::isfinite(alpha) || !std::isfinite(beta)) {
        return fmt::format("expected finite alpha and beta, got {} and {}.", alpha, beta);
    }
    if (dims.nbDims < 0 || dims.nbDims > Dims::MAX_DIMS ||
        std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t d) { return d < 0; })) {
        return fmt::format("expected known dimensions, got {}.", toText(dims));
    }
    return {};
}

TypeRule Fill::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(operand);
    static_cast<void>(inputCount);
    return TypeRule::kFixed; // the user chooses the type
}

void Fill::inferShape(InferContext& context) const {
    ShapeExpr& shape = context.outputs[0].shape;
    if (!context.has(kExtents)) {
        shape = constantShape(context.pool, dims);
        return;
    }
    int64_t const rank = expectShapeTensor(context, kKind, 0, "dimensions");
    if (rank > Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument,
             "{}, dimensions (input 0): expected at most {} entries, got {}. Use fewer dimensions.",
             where(context, kKind), static_cast<int32_t>(Dims::MAX_DIMS), rank);
    }
    shape.rank = static_cast<int32_t>(rank);
    if (!context.given.empty()) {
        Dims const& given = context.given[0];
        shape = constantShape(context.pool, given);
        return;
    }
    ShapeValues const& values = expectValues(context, kKind, 0, "dimensions");
    std::copy(values.begin(), values.end(), shape.extent.begin());
}

void Fill::checkOperand(InferContext const& context, Role role, int32_t rank) const {
    TensorFacts const& facts = context.inputs[role];
    Dims const got = knownDims(context.pool, facts.shape);
    bool const isScalar = role == kAlpha || isRandom();
    bool const fits = isScalar ? got.nbDims == 0 : got.nbDims == 1 && got.d[0] == rank;
    if (!fits || facts.type != type) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected {} {}, got {} {}. Cast or reshape it.",
             where(context, kKind), role == kAlpha ? "alpha" : "beta", static_cast<int32_t>(role),
             nameOf(type), isScalar ? "[]" : fmt::format("[{}]", rank), nameOf(facts.type),
             toText(got));
    }
}

/// Tracks the values if alpha and beta are integers, as in ranges of indices.
void Fill::followValues(InferContext& context) const {
    ExprPool& pool = context.pool;
    TensorFacts const* const start = context.has(kAlpha) ? &context.inputs[kAlpha] : nullptr;
    TensorFacts const* const steps = context.has(kBeta) ? &context.inputs[kBeta] : nullptr;
    if ((start != nullptr && !start->values) || (steps != nullptr && !steps->values) ||
        ((start == nullptr || steps == nullptr) && !isWhole) || isFloating(type)) {
        return;
    }
    followElements(pool, context.outputs[0], [&](Position const& position) {
        ExprRef sum = start == nullptr ? pool.constant(wholeAlpha) : start->values->at(0);
        for (int32_t axis = 0; axis < position.nbDims; ++axis) {
            ExprRef const step = steps == nullptr
                                     ? pool.constant(wholeBeta)
                                     : steps->values->at(static_cast<std::size_t>(axis));
            ExprRef const part = pool.binary(ExprOp::kProd, pool.constant(position.d[axis]), step);
            sum = pool.binary(ExprOp::kSum, sum, part);
        }
        return sum;
    });
}

void Fill::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 0, kBeta + 1);
    context.outputs[0].type = type;
    inferShape(context);
    int32_t const rank = context.outputs[0].shape.rank;
    if (context.has(kAlpha)) {
        checkOperand(context, kAlpha, rank);
    }
    if (context.has(kBeta)) {
        checkOperand(context, kBeta, rank);
    } else if (rank > 1 && !isRandom()) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected rank 1 for one constant beta, got {}. Set a beta for each axis as "
             "input 2.",
             where(context, kKind), rank);
    }
    if (!isRandom()) {
        followValues(context);
    }
}

void registerOp_fill(OpRegistry& registry) {
    registry.add(Fill::kKind, &Fill::load);
}

} // namespace kiln::graph
