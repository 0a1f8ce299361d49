// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/slice_start.h"

#include "compiler/constants.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

using graph::ExprRef;
using graph::Slice;

/// The numbers of an operand, or those of the op if there is no operand; nullopt if unknown.
std::optional<std::vector<ExprRef>> numbersOf(Program const& program, Step const& step,
                                              Slice::Role role, Dims const& otherwise) {
    auto const operand = static_cast<std::size_t>(role);
    if (operand < step.inputs().size() && !program.value(step.inputs()[operand]).isAbsent()) {
        return expressionsOf(program, step.inputs()[operand]);
    }
    std::vector<ExprRef> numbers;
    for (int32_t i = 0; i < otherwise.nbDims; ++i) {
        numbers.push_back(program.pool.constant(otherwise.d[i]));
    }
    return numbers;
}

} // namespace

std::optional<SliceNumbers> sliceNumbers(Program const& program, Step const& step) {
    auto const* op = step.as<Slice>();
    if (op == nullptr) {
        return std::nullopt;
    }
    auto const starts = numbersOf(program, step, Slice::kStart, op->start);
    auto const strides = numbersOf(program, step, Slice::kStride, op->stride);
    auto const axes = numbersOf(program, step, Slice::kAxes, op->axes);
    int32_t const rank = program.value(step.inputs()[0]).shape.rank;
    if (!starts || !strides || !axes || starts->size() != strides->size()) {
        return std::nullopt;
    }
    SliceNumbers numbers{{}, *starts, *strides};
    for (std::size_t i = 0; i < starts->size(); ++i) {
        int64_t const listed = axes->empty()      ? static_cast<int64_t>(i)
                               : i < axes->size() ? program.pool.constantOr((*axes)[i], rank)
                                                  : rank;
        int64_t const axis = listed < 0 ? listed + rank : listed;
        if (axis < 0 || axis >= rank) {
            return std::nullopt;
        }
        numbers.axes.push_back(static_cast<int32_t>(axis));
    }
    return numbers;
}

bool takesAll(graph::ExprPool& pool, ExprRef from, ExprRef to, ExprRef start, ExprRef stride) {
    using graph::ExprOp;
    ExprRef const one = pool.constant(1);
    bool const neighbours =
        stride == one || pool.constantOr(from) == 1 ||
        stride == pool.binary(ExprOp::kMin, pool.binary(ExprOp::kSub, from, one), one);
    return pool.constantOr(start) == 0 && from == to && neighbours;
}

std::optional<int64_t> startOfSlice(Program const& program, Step const& step) {
    auto const numbers = sliceNumbers(program, step);
    if (!numbers.has_value()) {
        return std::nullopt;
    }
    graph::ExprPool const& pool = program.pool;
    graph::ShapeExpr const& from = program.value(step.inputs()[0]).shape;
    graph::ShapeExpr const& to = program.value(step.outputs()[0]).shape;
    int32_t const last = from.rank - 1;
    int64_t start = 0;
    for (std::size_t i = 0; i < numbers->axes.size(); ++i) {
        bool const isLast = numbers->axes[i] == last;
        int64_t const first = pool.constantOr(numbers->starts[i]);
        if (first < 0 || (!isLast && first != 0) || pool.constantOr(numbers->strides[i]) != 1) {
            return std::nullopt;
        }
        start = isLast ? first : start;
    }
    for (int32_t i = 0; i < last; ++i) {
        if (from[i] != to[i]) {
            return std::nullopt;
        }
    }
    int64_t const end = start + pool.constantOr(to[last], INT32_MAX);
    return end <= pool.constantOr(from[last]) ? std::optional(start) : std::nullopt;
}

} // namespace kiln::compiler
