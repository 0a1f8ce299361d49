// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/expr.h"

#include <algorithm>

#include "base/checked_real.h"
#include "graph/integer_operation.h"
#include "graph/real_operation.h"

namespace kiln::graph {
namespace {

char const* symbolOf(ExprOp op) {
    switch (op) {
    case ExprOp::kSum: return "+";
    case ExprOp::kProd: return "*";
    case ExprOp::kMax: return "max";
    case ExprOp::kMin: return "min";
    case ExprOp::kSub: return "-";
    case ExprOp::kEqual: return "==";
    case ExprOp::kLess: return "<";
    case ExprOp::kFloorDiv: return "//";
    case ExprOp::kCeilDiv: return "cdiv";
    case ExprOp::kTruncDiv:
    case ExprOp::kRealDiv: return "/";
    case ExprOp::kRealSum: return "+";
    case ExprOp::kRealProd: return "*";
    case ExprOp::kRealMax: return "max";
    case ExprOp::kRealMin: return "min";
    case ExprOp::kRealSub: return "-";
    case ExprOp::kSingle: return "float32";
    case ExprOp::kToReal: return "real";
    case ExprOp::kFloor: return "floor";
    case ExprOp::kCeil: return "ceil";
    case ExprOp::kRound: return "round";
    default: return "?";
    }
}

int64_t valueOf(ExprNode const& node, LeafValues const& leaves, std::span<int64_t const> values) {
    if (node.op == ExprOp::kConstant || node.op == ExprOp::kReal) {
        return node.value;
    }
    if (node.op >= ExprOp::kSum) {
        int64_t const a = values[static_cast<std::size_t>(node.a)];
        int64_t const b = values[static_cast<std::size_t>(node.b)];
        return isIntegerOperation(node.op) ? applyInteger(node.op, a, b) : applyReal(node.op, a, b);
    }
    if (node.op == ExprOp::kSizeTensor) {
        return leaves.sizeTensor(node.a, values[static_cast<std::size_t>(node.value)],
                                 values[static_cast<std::size_t>(node.b)]);
    }
    return leaves.leaf(node);
}

/// Whether a sum is 0 or more because its terms are: extents, times positive numbers.
bool isNeverNegative(ExprPool const& pool, LinearForm const& form) {
    return form.constant >= 0 &&
           std::all_of(form.terms.begin(), form.terms.end(), [&](LinearForm::Term const& term) {
               return term.times > 0 && pool.node(term.of).op == ExprOp::kInputExtent;
           });
}

} // namespace

void evaluate(std::span<ExprNode const> nodes, LeafValues const& leaves,
              std::span<int64_t> values) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        values[i] = valueOf(nodes[i], leaves, values);
    }
}

void evaluate(std::span<ExprNode const> nodes, LeafValues const& leaves, std::span<int64_t> values,
              std::span<ExprRef const> which) {
    for (ExprRef const ref : which) {
        auto const i = static_cast<std::size_t>(ref);
        values[i] = valueOf(nodes[i], leaves, values);
    }
}

ExprRef ExprPool::intern(ExprNode const& node) {
    auto const key = std::make_tuple(node.op, node.a, node.b, node.value);
    auto const known = known_.find(key);
    if (known != known_.end()) {
        return known->second;
    }
    auto const ref = static_cast<ExprRef>(nodes_.size());
    LinearForm form = forms_.formOf(node, ref);
    if (auto const equal = sums_.find(form); equal != sums_.end()) {
        return equal->second;
    }
    if (node.op != ExprOp::kConstant && form.isConstant()) {
        return constant(form.constant);
    }
    try {
        nodes_.push_back(node);
        forms_.add(form);
        known_.emplace(key, ref);
        sums_.emplace(std::move(form), ref);
    } catch (...) { // keep the tables consistent
        known_.erase(key);
        forms_.shorten(static_cast<std::size_t>(ref));
        nodes_.resize(static_cast<std::size_t>(ref));
        throw;
    }
    return ref;
}

/// The result of a maximum, minimum or comparison if the difference of the operands is a number, or
/// if its sign is known.
std::optional<ExprRef> ExprPool::ordered(ExprOp op, ExprRef a, ExprRef b) {
    if (op != ExprOp::kMax && op != ExprOp::kMin && op != ExprOp::kEqual && op != ExprOp::kLess) {
        return std::nullopt;
    }
    std::optional<LinearForm> const difference = forms_.difference(a, b);
    if (!difference.has_value()) {
        return std::nullopt;
    }
    std::optional<LinearForm> const opposite = forms_.difference(b, a);
    bool const same = difference->isConstant() && difference->constant == 0;
    bool const least = opposite.has_value() && isNeverNegative(*this, *opposite); // a <= b
    bool const most = isNeverNegative(*this, *difference);                        // a >= b
    bool const unequal = (most && difference->constant > 0) || (least && opposite->constant > 0);
    switch (op) {
    case ExprOp::kMax: return most ? std::optional(a) : least ? std::optional(b) : std::nullopt;
    case ExprOp::kMin: return most ? std::optional(b) : least ? std::optional(a) : std::nullopt;
    case ExprOp::kEqual:
        return same || unequal ? std::optional(constant(same ? 1 : 0)) : std::nullopt;
    default:
        return difference->isConstant() ? std::optional(constant(difference->constant < 0 ? 1 : 0))
                                        : std::nullopt;
    }
}

ExprRef ExprPool::constant(int64_t value) {
    return intern({ExprOp::kConstant, 0, 0, value});
}

ExprRef ExprPool::inputExtent(int32_t input, int32_t axis) {
    return intern({ExprOp::kInputExtent, input, axis, 0});
}

ExprRef ExprPool::shapeValue(int32_t input, int32_t element) {
    return intern({ExprOp::kShapeValue, input, element, 0});
}

ExprRef ExprPool::sizeTensor(int32_t tensor, ExprRef optimum, ExprRef upperBound) {
    return intern({ExprOp::kSizeTensor, tensor, upperBound, optimum});
}

ExprRef ExprPool::real(double number) {
    number = checkedFinite(number, "factor of an extent");
    return intern({ExprOp::kReal, 0, 0, realBits(number == 0 ? 0.0 : number)}); // no -0
}

ExprRef ExprPool::unary(ExprOp op, ExprRef a) {
    if (!isUnary(op)) {
        fail(ErrorKind::kInternal,
             "[shape] operation {} is not unary. Report this as a defect of Kiln.",
             static_cast<int32_t>(op));
    }
    if (isReal(a) == graph::isReal(op) && op != ExprOp::kSingle) {
        return a;
    }
    if (op == ExprOp::kSingle && !isReal(a)) {
        a = unary(ExprOp::kToReal, a);
    }
    ExprNode const& operand = node(a);
    if (operand.op == ExprOp::kConstant || operand.op == ExprOp::kReal) {
        int64_t const value = applyReal(op, operand.value, operand.value);
        return graph::isReal(op) ? real(realOf(value)) : constant(value);
    }
    bool const undoes = operand.op == ExprOp::kToReal && !graph::isReal(op);
    bool const again = operand.op == op; // rounded to float32 before
    return undoes ? operand.a : again ? a : intern({op, a, a, 0});
}

ExprRef ExprPool::binaryReal(ExprOp op, ExprRef a, ExprRef b) {
    a = unary(ExprOp::kToReal, a);
    b = unary(ExprOp::kToReal, b);
    ExprNode const& left = node(a);
    ExprNode const& right = node(b);
    if (left.op == ExprOp::kReal && right.op == ExprOp::kReal) {
        return real(realOf(applyReal(op, left.value, right.value)));
    }
    if (commutes(op) && a > b) {
        std::swap(a, b);
    }
    auto const is = [&](ExprRef ref, double number) {
        return node(ref).op == ExprOp::kReal && realOf(node(ref).value) == number;
    };
    bool const multiplies = op == ExprOp::kRealProd || op == ExprOp::kRealDiv;
    if (multiplies && is(b, 1.0)) {
        return a;
    }
    if (op == ExprOp::kRealProd && is(a, 1.0)) {
        return b;
    }
    bool const selects = op == ExprOp::kRealMax || op == ExprOp::kRealMin;
    return selects && a == b ? a : intern({op, a, b, 0});
}

ExprRef ExprPool::binary(ExprOp op, ExprRef a, ExprRef b) {
    if (isIntegerOperation(op) && (isReal(a) || isReal(b))) {
        switch (op) {
        case ExprOp::kSum: return binaryReal(ExprOp::kRealSum, a, b);
        case ExprOp::kProd: return binaryReal(ExprOp::kRealProd, a, b);
        case ExprOp::kMax: return binaryReal(ExprOp::kRealMax, a, b);
        case ExprOp::kMin: return binaryReal(ExprOp::kRealMin, a, b);
        case ExprOp::kSub: return binaryReal(ExprOp::kRealSub, a, b);
        default:
            fail(ErrorKind::kInternal,
                 "[shape] operation {} takes integers. Report this as a defect of Kiln.",
                 static_cast<int32_t>(op));
        }
    }
    if (isRealOperation(op)) {
        return binaryReal(op, a, b);
    }
    if (!isIntegerOperation(op)) {
        fail(ErrorKind::kInvalidArgument,
             "[shape] unknown dimension operation {}. Use a "
             "DimensionOperation member.",
             static_cast<int32_t>(op));
    }
    if (isConstant(a) && isConstant(b)) {
        return constant(applyInteger(op, node(a).value, node(b).value));
    }
    if (commutes(op) && a > b) {
        std::swap(a, b);
    }
    bool const divides =
        op == ExprOp::kFloorDiv || op == ExprOp::kCeilDiv || op == ExprOp::kTruncDiv;
    if (divides && constantOr(b, -1) == 0) {
        failDivision(toText(a));
    }
    if (std::optional<ExprRef> const found = ordered(op, a, b)) {
        return *found;
    }
    return intern({op, a, b, 0});
}

ExprRef ExprPool::binary(nvinfer1::DimensionOperation op, ExprRef a, ExprRef b) {
    auto const number = static_cast<int32_t>(op);
    return binary(static_cast<ExprOp>(number < 0 || number > 8 ? 0 : 16 + number), a, b);
}

int64_t ExprPool::constantOr(ExprRef ref, int64_t otherwise) const {
    ExprNode const& found = node(ref);
    return found.op == ExprOp::kConstant ? found.value : otherwise;
}

std::string ExprPool::toText(ExprRef ref) const {
    ExprNode const& n = node(ref);
    switch (n.op) {
    case ExprOp::kConstant: return fmt::format("{}", n.value);
    case ExprOp::kInputExtent: return fmt::format("in{}.d{}", n.a, n.b);
    case ExprOp::kShapeValue: return fmt::format("in{}[{}]", n.a, n.b);
    case ExprOp::kSizeTensor: return fmt::format("size{}", n.a);
    case ExprOp::kReal: return fmt::format("{}", realOf(n.value));
    default:
        if (isUnary(n.op)) {
            return fmt::format("{}({})", symbolOf(n.op), toText(n.a));
        }
        return fmt::format("({} {} {})", toText(n.a), symbolOf(n.op), toText(n.b));
    }
}

bool ShapeExpr::operator==(ShapeExpr const& other) const {
    return rank == other.rank &&
           std::equal(extent.begin(), extent.begin() + rank, other.extent.begin());
}

ShapeExpr constantShape(ExprPool& pool, nvinfer1::Dims const& dims) {
    ShapeExpr shape;
    shape.rank = dims.nbDims;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        shape[i] = pool.constant(dims.d[i]);
    }
    return shape;
}

nvinfer1::Dims knownDims(ExprPool const& pool, ShapeExpr const& shape) {
    nvinfer1::Dims dims{};
    dims.nbDims = shape.rank;
    for (int32_t i = 0; i < shape.rank; ++i) {
        dims.d[i] = pool.constantOr(shape[i], -1);
    }
    return dims;
}

nvinfer1::Dims dimsFrom(ShapeExpr const& shape, std::span<int64_t const> values) {
    nvinfer1::Dims dims{};
    dims.nbDims = shape.rank;
    for (int32_t i = 0; i < shape.rank; ++i) {
        dims.d[i] = values[static_cast<std::size_t>(shape[i])];
    }
    return dims;
}

} // namespace kiln::graph
