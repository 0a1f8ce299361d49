// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/double_math.h"

#include "graph/op_registry.h"
#include "graph/real_values.h"
#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

bool hasOneElement(ExprPool const& pool, ShapeExpr const& shape) {
    for (int32_t i = 0; i < shape.rank; ++i) {
        if (pool.constantOr(shape[i]) != 1) {
            return false;
        }
    }
    return true;
}

/// The numbers of an operand as expressions; empty if they are not known before the run.
ShapeValues numbersOf(ExprPool& pool, TensorFacts const& facts, DataType type, bool areIntegers) {
    if (facts.doubles) {
        return *facts.doubles;
    }
    ShapeValues numbers;
    if (!facts.values || facts.values->size() > static_cast<std::size_t>(kMostRealValues)) {
        return numbers;
    }
    for (ExprRef const value : *facts.values) {
        if (type == DataType::kFLOAT || areIntegers) {
            numbers.push_back(pool.unary(ExprOp::kToReal, value));
        } else if (pool.isConstant(value)) {
            numbers.push_back(pool.real(realOf(pool.node(value).value)));
        } else {
            return {}; // bits that are computed
        }
    }
    return numbers;
}

/// The expression of a result; -1 for operations that expressions do not have.
ExprRef applied(ExprPool& pool, DoubleOperation operation, ExprRef x, ExprRef y) {
    auto const whole = [&](ExprOp rounding) {
        return pool.unary(ExprOp::kToReal, pool.unary(rounding, x));
    };
    auto const negative = [&] { return pool.binary(ExprOp::kRealSub, pool.real(0.0), x); };
    switch (operation) {
    case DoubleOperation::kFROM_FLOAT:
    case DoubleOperation::kFROM_INTEGER: return x;
    case DoubleOperation::kTO_FLOAT: return pool.unary(ExprOp::kSingle, x);
    case DoubleOperation::kTO_INTEGER: return truncated(pool, x);
    case DoubleOperation::kNEG: return negative();
    case DoubleOperation::kABS: return pool.binary(ExprOp::kRealMax, x, negative());
    case DoubleOperation::kFLOOR: return whole(ExprOp::kFloor);
    case DoubleOperation::kCEIL: return whole(ExprOp::kCeil);
    case DoubleOperation::kROUND: return whole(ExprOp::kRound);
    case DoubleOperation::kSUM: return pool.binary(ExprOp::kRealSum, x, y);
    case DoubleOperation::kSUB: return pool.binary(ExprOp::kRealSub, x, y);
    case DoubleOperation::kPROD: return pool.binary(ExprOp::kRealProd, x, y);
    case DoubleOperation::kDIV: return realQuotient(pool, x, y);
    case DoubleOperation::kMAX: return pool.binary(ExprOp::kRealMax, x, y);
    case DoubleOperation::kMIN: return pool.binary(ExprOp::kRealMin, x, y);
    default: return -1;
    }
}

} // namespace

std::string DoubleMath::problem() const {
    auto const number = static_cast<int32_t>(operation);
    return number >= 0 && operation <= DoubleOperation::kLESS_EQUAL
               ? std::string()
               : fmt::format("expected a member of DoubleOperation, got {}.", number);
}

DataType DoubleMath::inputType() const noexcept {
    return operation == DoubleOperation::kFROM_FLOAT ? DataType::kFLOAT : DataType::kINT64;
}

DataType DoubleMath::outputType() const noexcept {
    return operation >= DoubleOperation::kEQUAL      ? DataType::kBOOL
           : operation == DoubleOperation::kTO_FLOAT ? DataType::kFLOAT
                                                     : DataType::kINT64;
}

void DoubleMath::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, operands(), operands());
    for (TensorFacts const& input : context.inputs) {
        if (input.type != inputType()) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected operands of {}, got {}. Convert them with the operations FROM_FLOAT "
                 "and FROM_INTEGER.",
                 where(context, kKind), nameOf(inputType()), nameOf(input.type));
        }
    }
    ShapeExpr const& left = context.inputs.front().shape;
    ShapeExpr const& right = context.inputs.back().shape;
    bool const isOne = hasOneElement(context.pool, left);
    bool const isOther = hasOneElement(context.pool, right);
    if (!(left == right) && !isOne && !isOther) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected operands of one shape, or one of one element, got {} and {}. Expand "
             "one of them.",
             where(context, kKind), toText(knownDims(context.pool, left)),
             toText(knownDims(context.pool, right)));
    }
    bool const takesRight = isOne && (!isOther || right.rank > left.rank);
    context.outputs[0].type = outputType();
    context.outputs[0].shape = takesRight ? right : left;
    followNumbers(context);
}

void DoubleMath::followNumbers(InferContext& context) const {
    ExprPool& pool = context.pool;
    TensorFacts& output = context.outputs[0];
    output.values.reset();
    output.doubles.reset();
    ShapeValues results;
    try {
        bool const areIntegers = operation == DoubleOperation::kFROM_INTEGER;
        auto const x = numbersOf(pool, context.inputs.front(), inputType(), areIntegers);
        auto const y = numbersOf(pool, context.inputs.back(), inputType(), areIntegers);
        std::size_t const count = std::max(x.size(), y.size());
        for (std::size_t i = 0; i < count && !x.empty() && !y.empty(); ++i) {
            results.push_back(
                applied(pool, operation, x[x.size() == 1 ? 0 : i], y[y.size() == 1 ? 0 : i]));
        }
    } catch (Error const& error) { // such numbers are data
        if (error.kind() != ErrorKind::kInvalidArgument) {
            throw;
        }
        return;
    }
    if (results.empty() || results.front() < 0 || !canFollow(pool, output)) {
        return;
    }
    bool const isDouble =
        output.type == DataType::kINT64 && operation != DoubleOperation::kTO_INTEGER;
    (isDouble ? output.doubles : output.values) = std::move(results);
}

void registerOp_double_math(OpRegistry& registry) {
    registry.add(DoubleMath::kKind, &DoubleMath::load);
}

} // namespace kiln::graph
