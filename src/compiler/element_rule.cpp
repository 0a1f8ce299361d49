// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of constants, ranges, and what moves elements.
#include "compiler/element_rule.h"

#include <algorithm>
#include <cmath>

#include "compiler/constants.h"
#include "compiler/slice_start.h"
#include "graph/ops/cast.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/fill.h"
#include "graph/ops/select.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"
#include "graph/ops/unary.h"

namespace kiln::compiler {
namespace {

using graph::ExprOp;
using graph::ExprRef;

bool has(Program const& program, Step const& step, std::size_t operand) {
    return operand < step.inputs().size() && !program.value(step.inputs()[operand]).isAbsent();
}

/// Axes of more than one element.
std::vector<int32_t> longAxes(graph::ExprPool const& pool, graph::ShapeExpr const& shape) {
    std::vector<int32_t> axes;
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        if (pool.constantOr(shape[axis]) != 1) {
            axes.push_back(axis);
        }
    }
    return axes;
}

} // namespace

std::optional<ElementRule> ElementRules::of(ValueId value) {
    constexpr int32_t kDeepest = 24; // masks are made of few operations
    if (auto const at = known_.find(value); at != known_.end()) {
        return at->second;
    }
    if (depth_ >= kDeepest || program_.value(value).shape.rank < 0) {
        return std::nullopt;
    }
    ++depth_;
    std::optional<ElementRule> const rule = find(value);
    --depth_;
    known_[value] = rule;
    return rule;
}

std::optional<double> ElementRules::uniform(ElementRule const& rule) const {
    if (rule.isChoice) {
        return rule.yes == rule.no ? std::optional(rule.yes) : std::nullopt;
    }
    bool const same =
        std::all_of(rule.along.begin(), rule.along.end(), [](int64_t by) { return by == 0; });
    return same && program_.pool.isConstant(rule.offset)
               ? std::optional(static_cast<double>(program_.pool.constantOr(rule.offset)))
               : std::nullopt;
}

ElementRule ElementRules::uniformRule(double element) const {
    ElementRule rule;
    rule.offset = program_.pool.constant(0);
    rule.isChoice = true;
    rule.yes = rule.no = element;
    return rule;
}

std::optional<ElementRule> ElementRules::asChoice(ElementRule const& rule) const {
    if (rule.isChoice) {
        return rule;
    }
    std::optional<double> const element = uniform(rule);
    return element.has_value() ? std::optional(uniformRule(*element)) : std::nullopt;
}

std::optional<ElementRule> ElementRules::asNumber(ElementRule const& rule) const {
    if (!rule.isChoice) {
        return rule;
    }
    std::optional<double> const element = uniform(rule);
    if (!element.has_value() || std::trunc(*element) != *element || std::abs(*element) > 0x1p31) {
        return std::nullopt;
    }
    ElementRule number;
    number.offset = program_.pool.constant(static_cast<int64_t>(*element));
    return number;
}

std::optional<int64_t> ElementRules::scalar(ValueId value) {
    std::optional<ElementRule> const rule = of(value);
    std::optional<double> const element = rule.has_value() ? uniform(*rule) : std::nullopt;
    return element.has_value() && std::trunc(*element) == *element && std::abs(*element) < 0x1p31
               ? std::optional(static_cast<int64_t>(*element))
               : std::nullopt;
}

std::optional<ElementRule> ElementRules::find(ValueId id) {
    Value const& value = program_.value(id);
    if (value.values.size() == 1) {
        ElementRule rule;
        rule.offset = value.values[0];
        return rule;
    }
    if (value.role == plan::TensorRole::kConstant || !value.values.empty()) {
        return constantRule(program_, id);
    }
    Step const* const step = program_.producerOf(id);
    return step == nullptr || step->isPlugin() ? std::nullopt : found(*step, id);
}

std::optional<ElementRule> ElementRules::found(Step const& step, ValueId value) {
    std::string_view const kind = step.op->kind();
    return kind == graph::Fill::kKind          ? fill(step, value)
           : kind == graph::Slice::kKind       ? slice(step, value)
           : kind == graph::Shuffle::kKind     ? shuffle(step, value)
           : kind == graph::Cast::kKind        ? cast(step, value)
           : kind == graph::Unary::kKind       ? unary(step)
           : kind == graph::ElementWise::kKind ? elementwise(step)
           : kind == graph::Select::kKind      ? select(step)
                                               : std::nullopt;
}

std::optional<ElementRule> ElementRules::fill(Step const& step, ValueId value) {
    auto const& op = *step.as<graph::Fill>();
    int32_t const rank = program_.value(value).shape.rank;
    bool const whole =
        op.isWhole || (std::trunc(op.alpha) == op.alpha && std::trunc(op.beta) == op.beta &&
                       std::abs(op.alpha) + std::abs(op.beta) < 0x1p31);
    if (op.operation != nvinfer1::FillOperation::kLINSPACE || !whole) {
        return std::nullopt;
    }
    ElementRule rule;
    rule.offset =
        program_.pool.constant(op.isWhole ? op.wholeAlpha : static_cast<int64_t>(op.alpha));
    if (has(program_, step, graph::Fill::kAlpha)) {
        std::optional<ElementRule> const start = of(step.inputs()[graph::Fill::kAlpha]);
        std::optional<ElementRule> const first =
            start.has_value() ? asNumber(*start) : std::nullopt;
        if (!first.has_value()) {
            return std::nullopt;
        }
        rule.offset = first->offset;
    }
    if (!has(program_, step, graph::Fill::kBeta)) {
        std::fill_n(rule.along.begin(), rank,
                    op.isWhole ? op.wholeBeta : static_cast<int64_t>(op.beta));
        return rule;
    }
    ValueId const steps = step.inputs()[graph::Fill::kBeta];
    auto const numbers = expressionsOf(program_, steps);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
        std::optional<int64_t> const by =
            rank == 1 ? scalar(steps)
            : numbers.has_value() && program_.pool.isConstant(numbers->at(axis))
                ? std::optional(program_.pool.constantOr(numbers->at(axis)))
                : std::nullopt;
        if (!by.has_value()) {
            return std::nullopt;
        }
        rule.along[axis] = *by;
    }
    return rule;
}

std::optional<ElementRule> ElementRules::slice(Step const& step, ValueId value) {
    auto const& op = *step.as<graph::Slice>();
    std::optional<ElementRule> rule = of(step.inputs()[0]);
    auto const numbers = sliceNumbers(program_, step);
    if (!rule.has_value() || !numbers.has_value() || op.mode == nvinfer1::SampleMode::kFILL) {
        return std::nullopt;
    }
    graph::ExprPool& pool = program_.pool;
    graph::ShapeExpr const& from = program_.value(step.inputs()[0]).shape;
    graph::ShapeExpr const& to = program_.value(value).shape;
    for (std::size_t i = 0; i < numbers->axes.size(); ++i) {
        int32_t const at = numbers->axes[i];
        ExprRef const start = numbers->starts[i];
        ExprRef const stride = numbers->strides[i];
        int64_t& by = rule->along[static_cast<std::size_t>(at)];
        if (pool.constantOr(from[at]) == 1) {
            by = 0; // one element, which repeats
        }
        if (by == 0 || takesAll(pool, from[at], to[at], start, stride)) {
            continue;
        }
        if (op.mode != nvinfer1::SampleMode::kSTRICT_BOUNDS || !pool.isConstant(stride)) {
            return std::nullopt;
        }
        rule->offset = pool.binary(ExprOp::kSum, rule->offset,
                                   pool.binary(ExprOp::kProd, start, pool.constant(by)));
        by *= pool.constantOr(stride);
    }
    return rule;
}

std::optional<ElementRule> ElementRules::shuffle(Step const& step, ValueId value) {
    auto const& op = *step.as<graph::Shuffle>();
    std::optional<ElementRule> const source = of(step.inputs()[0]);
    if (!source.has_value()) {
        return std::nullopt;
    }
    graph::ShapeExpr const& from = program_.value(step.inputs()[0]).shape;
    graph::ShapeExpr const& to = program_.value(value).shape;
    graph::ShapeExpr first = from;
    graph::ShapeExpr second = to;
    for (int32_t i = 0; i < from.rank; ++i) {
        first[i] = from[op.firstTranspose[static_cast<std::size_t>(i)]];
    }
    for (int32_t i = 0; i < to.rank; ++i) {
        second[op.secondTranspose[static_cast<std::size_t>(i)]] = to[i];
    }
    // A reshape that only adds and removes axes of one element.
    std::vector<int32_t> const before = longAxes(program_.pool, first);
    std::vector<int32_t> const behind = longAxes(program_.pool, second);
    ElementRule middle = *source;
    middle.along = {};
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (behind.size() != before.size() || first[before[i]] != second[behind[i]]) {
            return std::nullopt;
        }
        int32_t const axis = op.firstTranspose[static_cast<std::size_t>(before[i])];
        middle.along[static_cast<std::size_t>(behind[i])] =
            source->along[static_cast<std::size_t>(axis)];
    }
    ElementRule rule = middle;
    for (int32_t i = 0; i < to.rank; ++i) {
        auto const at = static_cast<std::size_t>(i);
        rule.along[at] = middle.along[static_cast<std::size_t>(op.secondTranspose[at])];
    }
    return rule;
}

std::optional<ElementRule> ElementRules::cast(Step const& step, ValueId value) {
    std::optional<ElementRule> rule = of(step.inputs()[0]);
    DataType const to = program_.value(value).type.type;
    if (!rule.has_value() || (!rule->isChoice && to == DataType::kBOOL)) {
        return std::nullopt;
    }
    auto const converted = [&](double x) {
        return to == DataType::kBOOL ? (x != 0.0 ? 1.0 : 0.0) : isFloating(to) ? x : std::trunc(x);
    };
    rule->yes = converted(rule->yes);
    rule->no = converted(rule->no);
    return rule;
}

} // namespace kiln::compiler
