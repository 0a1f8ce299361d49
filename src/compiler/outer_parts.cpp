// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/outer_parts.h"

#include <algorithm>

#include "compiler/constants.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

using graph::ExprOp;
using graph::ExprRef;
using graph::Slice;

/// The numbers of a slice for each of its axes; nullopt if they are known on the device only.
std::optional<graph::ShapeValues> numbersOf(Program& program, Step const& step, Slice::Role role,
                                            Dims const& own) {
    graph::ShapeValues numbers;
    auto const operand = static_cast<std::size_t>(role);
    if (operand >= step.inputs().size() || program.value(step.inputs()[operand]).isAbsent()) {
        for (int32_t i = 0; i < own.nbDims; ++i) {
            numbers.push_back(program.pool.constant(own.d[i]));
        }
        return numbers;
    }
    Value const& value = program.value(step.inputs()[operand]);
    if (value.role == plan::TensorRole::kValues) {
        return value.values;
    }
    std::optional<std::vector<int64_t>> const known = integersOf(value);
    if (!known.has_value()) {
        return std::nullopt;
    }
    for (int64_t const number : *known) {
        numbers.push_back(program.pool.constant(number));
    }
    return numbers;
}

/// By axis of the data: the entry of a slice's numbers; -1: the axis is whole.
std::optional<std::vector<int32_t>> entriesOf(Program const& program, Step const& step,
                                              int32_t rank) {
    auto const& op = *step.as<Slice>();
    std::vector<int64_t> axes;
    if (step.inputs().size() > Slice::kAxes &&
        !program.value(step.inputs()[Slice::kAxes]).isAbsent()) {
        std::optional<std::vector<int64_t>> known =
            integersOf(program.value(step.inputs()[Slice::kAxes]));
        if (!known.has_value()) {
            return std::nullopt;
        }
        axes = *std::move(known);
    } else if (op.axes.nbDims >= 0) {
        axes.assign(op.axes.d, op.axes.d + op.axes.nbDims);
    } else {
        for (int32_t axis = 0; axis < rank; ++axis) {
            axes.push_back(axis);
        }
    }
    std::vector<int32_t> entries(static_cast<std::size_t>(rank), -1);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        int64_t const axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank) {
            return std::nullopt;
        }
        entries[static_cast<std::size_t>(axis)] = static_cast<int32_t>(i);
    }
    return entries;
}

} // namespace

std::optional<ExprRef> OuterParts::beginOfSlice(Step const& step) {
    auto const* op = step.as<Slice>();
    Value const& whole = program_.value(step.inputs()[Slice::kData]);
    Value const& part = program_.value(step.outputs()[0]);
    int32_t const rank = whole.shape.rank;
    if (op == nullptr || part.shape.rank != rank || dependsOnSizes(whole.shape) ||
        dependsOnSizes(part.shape)) {
        return std::nullopt;
    }
    auto const starts = numbersOf(program_, step, Slice::kStart, op->start);
    auto const strides = numbersOf(program_, step, Slice::kStride, op->stride);
    auto const entries = entriesOf(program_, step, rank);
    if (!starts.has_value() || !strides.has_value() || !entries.has_value()) {
        return std::nullopt;
    }
    std::optional<int32_t> const outer = outerAxis(whole.shape);
    ExprRef begin = program_.pool.constant(0);
    for (int32_t axis = 0; axis < rank; ++axis) {
        int32_t const entry = (*entries)[static_cast<std::size_t>(axis)];
        if (entry < 0) {
            continue;
        }
        auto const at = static_cast<std::size_t>(entry);
        if (at >= starts->size() || at >= strides->size() ||
            program_.pool.constantOr((*strides)[at], 0) != 1) {
            return std::nullopt;
        }
        ExprRef const start = (*starts)[at];
        bool const isWhole =
            program_.pool.constantOr(start) == 0 && whole.shape[axis] == part.shape[axis];
        if (isWhole) {
            continue;
        }
        ExprRef const end = program_.pool.binary(ExprOp::kSum, start, part.shape[axis]);
        auto const behind = program_.pool.forms().difference(whole.shape[axis], end);
        if (axis != outer || !behind.has_value() || !isNonNegative(*behind) ||
            !isNonNegative(program_.pool.forms().of(start))) {
            return std::nullopt;
        }
        begin = elementsBefore(whole.shape, axis, start);
    }
    return isAligned(begin, whole.type.type) ? std::optional(begin) : std::nullopt;
}

std::optional<std::vector<ExprRef>> OuterParts::beginsOfInputs(Step const& step) {
    auto const* op = step.as<graph::Concatenation>();
    Value const& whole = program_.value(step.outputs()[0]);
    if (op == nullptr || dependsOnSizes(whole.shape)) {
        return std::nullopt;
    }
    int32_t const axis = op->axisFor(whole.shape.rank);
    for (int32_t before = 0; before < axis; ++before) {
        if (program_.pool.constantOr(whole.shape[before]) != 1) {
            return std::nullopt;
        }
    }
    std::vector<ExprRef> begins;
    ExprRef start = program_.pool.constant(0);
    for (ValueId const input : step.inputs()) {
        graph::ShapeExpr const& shape = program_.value(input).shape;
        begins.push_back(elementsBefore(whole.shape, axis, start));
        if (dependsOnSizes(shape) || !isAligned(begins.back(), whole.type.type)) {
            return std::nullopt;
        }
        start = program_.pool.binary(ExprOp::kSum, start, shape[axis]);
    }
    return begins;
}

// Constants are multiplied last, so that the form of the result shows them as a factor.
ExprRef OuterParts::elementsBefore(graph::ShapeExpr const& shape, int32_t axis, ExprRef start) {
    graph::ExprPool& pool = program_.pool;
    ExprRef changing = start;
    ExprRef fixed = pool.constant(1);
    for (int32_t behind = axis + 1; behind < shape.rank; ++behind) {
        ExprRef& factor = pool.isConstant(shape[behind]) ? fixed : changing;
        factor = pool.binary(ExprOp::kProd, factor, shape[behind]);
    }
    return pool.binary(ExprOp::kProd, changing, fixed);
}

std::optional<int32_t> OuterParts::outerAxis(graph::ShapeExpr const& shape) const {
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        if (program_.pool.constantOr(shape[axis]) != 1) {
            return axis;
        }
    }
    return std::nullopt;
}

bool OuterParts::isNonNegative(graph::LinearForm const& form) const {
    return form.constant >= 0 && std::all_of(form.terms.begin(), form.terms.end(),
                                             [&](graph::LinearForm::Term const& term) {
                                                 return term.times > 0 && bounds_.knows(term.of) &&
                                                        bounds_.of(term.of).low >= 0;
                                             });
}

bool OuterParts::isAligned(ExprRef begin, DataType type) const {
    constexpr auto kBits = static_cast<int64_t>(8 * plan::kViewAlignment);
    auto const aligned = [&](int64_t elements) {
        return elements % kBits * bitsOf(type) % kBits == 0;
    };
    graph::LinearForm const& form = program_.pool.forms().of(begin);
    return aligned(form.constant) &&
           std::all_of(form.terms.begin(), form.terms.end(),
                       [&](graph::LinearForm::Term const& term) { return aligned(term.times); });
}

bool OuterParts::dependsOnSizes(graph::ShapeExpr const& shape) const {
    return !program_.sizeTensors.empty() && dependsOnSize(program_.pool, shape);
}

} // namespace kiln::compiler
