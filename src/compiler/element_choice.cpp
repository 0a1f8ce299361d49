// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of comparisons, and of what combines choices.
#include <algorithm>
#include <array>

#include "compiler/element_rule.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/select.h"
#include "graph/ops/unary.h"

namespace kiln::compiler {
namespace {

using graph::ExprOp;
using nvinfer1::ElementWiseOperation;

/// x op y; nullopt for operations that masks do not need.
std::optional<double> computed(ElementWiseOperation operation, double x, double y) {
    switch (operation) {
    case ElementWiseOperation::kSUM: return x + y;
    case ElementWiseOperation::kSUB: return x - y;
    case ElementWiseOperation::kPROD: return x * y;
    case ElementWiseOperation::kMAX: return std::max(x, y);
    case ElementWiseOperation::kMIN: return std::min(x, y);
    case ElementWiseOperation::kAND: return x != 0.0 && y != 0.0 ? 1.0 : 0.0;
    case ElementWiseOperation::kOR: return x != 0.0 || y != 0.0 ? 1.0 : 0.0;
    case ElementWiseOperation::kXOR: return (x != 0.0) != (y != 0.0) ? 1.0 : 0.0;
    case ElementWiseOperation::kEQUAL: return x == y ? 1.0 : 0.0;
    case ElementWiseOperation::kGREATER: return x > y ? 1.0 : 0.0;
    case ElementWiseOperation::kLESS: return x < y ? 1.0 : 0.0;
    default: return std::nullopt;
    }
}

/// Two choices by one form, or one of them the same everywhere.
std::optional<ElementRule> combined(ElementWiseOperation operation, ElementRule const& x,
                                    ElementRule const& y) {
    bool const sameX = x.yes == x.no;
    bool const sameY = y.yes == y.no;
    if (!sameX && !sameY && !x.sameForm(y)) {
        return std::nullopt;
    }
    ElementRule rule = sameX ? y : x;
    std::optional<double> const yes = computed(operation, x.yes, y.yes);
    std::optional<double> const no = computed(operation, x.no, y.no);
    if (!yes.has_value() || !no.has_value()) {
        return std::nullopt;
    }
    rule.yes = *yes;
    rule.no = *no;
    return rule;
}

} // namespace

std::optional<ElementRule> ElementRules::unary(Step const& step) {
    std::optional<ElementRule> rule = of(step.inputs()[0]);
    auto const operation = step.as<graph::Unary>()->operation;
    bool const negates = operation == nvinfer1::UnaryOperation::kNEG;
    if (!rule.has_value() || !rule->isChoice ||
        (!negates && operation != nvinfer1::UnaryOperation::kNOT)) {
        return std::nullopt;
    }
    for (double* const element : {&rule->yes, &rule->no}) {
        *element = negates ? -*element : *element == 0.0 ? 1.0 : 0.0;
    }
    return rule;
}

ElementRule ElementRules::difference(ElementRule const& a, ElementRule const& b) const {
    ElementRule rule = a;
    for (std::size_t axis = 0; axis < rule.along.size(); ++axis) {
        rule.along[axis] -= b.along[axis];
    }
    rule.offset = program_.pool.binary(ExprOp::kSub, a.offset, b.offset);
    return rule;
}

ElementRule ElementRules::atLeast(ElementRule const& x, ElementRule const& y,
                                  int64_t margin) const {
    ElementRule rule = difference(x, y);
    rule.offset = program_.pool.binary(ExprOp::kSub, rule.offset, program_.pool.constant(margin));
    rule.isChoice = true;
    rule.yes = 1.0;
    return rule;
}

std::optional<ElementRule> ElementRules::elementwise(Step const& step) {
    ElementWiseOperation const operation = step.as<graph::ElementWise>()->operation;
    if (operation == ElementWiseOperation::kOR) {
        if (std::optional<ElementRule> rule = orEqual(step)) {
            return rule;
        }
    }
    std::optional<ElementRule> const a = of(step.inputs()[0]);
    std::optional<ElementRule> const b = a.has_value() ? of(step.inputs()[1]) : std::nullopt;
    if (!a.has_value() || !b.has_value()) {
        return std::nullopt;
    }
    std::optional<ElementRule> const x = asChoice(*a);
    std::optional<ElementRule> const y = asChoice(*b);
    if (x.has_value() && y.has_value()) {
        return combined(operation, *x, *y);
    }
    std::optional<ElementRule> const i = asNumber(*a);
    std::optional<ElementRule> const j = asNumber(*b);
    if (!i.has_value() || !j.has_value()) {
        return std::nullopt;
    }
    switch (operation) {
    case ElementWiseOperation::kGREATER: return atLeast(*i, *j, 1);
    case ElementWiseOperation::kLESS: return atLeast(*j, *i, 1);
    case ElementWiseOperation::kSUB: return difference(*i, *j);
    case ElementWiseOperation::kSUM: {
        ElementRule zero;
        zero.offset = program_.pool.constant(0);
        return difference(*i, difference(zero, *j));
    }
    default: return std::nullopt;
    }
}

/// x < y or x == y, as comparisons that may be equal are written.
std::optional<ElementRule> ElementRules::orEqual(Step const& step) {
    Step const* const strict = program_.producerOf(step.inputs()[0]);
    Step const* const equal = program_.producerOf(step.inputs()[1]);
    auto const* first = strict == nullptr ? nullptr : strict->as<graph::ElementWise>();
    auto const* second = equal == nullptr ? nullptr : equal->as<graph::ElementWise>();
    if (first == nullptr || second == nullptr || strict->inputs() != equal->inputs() ||
        second->operation != ElementWiseOperation::kEQUAL ||
        (first->operation != ElementWiseOperation::kLESS &&
         first->operation != ElementWiseOperation::kGREATER)) {
        return std::nullopt;
    }
    std::optional<ElementRule> const a = of(strict->inputs()[0]);
    std::optional<ElementRule> const b = of(strict->inputs()[1]);
    std::optional<ElementRule> const i = a.has_value() ? asNumber(*a) : std::nullopt;
    std::optional<ElementRule> const j = b.has_value() ? asNumber(*b) : std::nullopt;
    if (!i.has_value() || !j.has_value()) {
        return std::nullopt;
    }
    bool const less = first->operation == ElementWiseOperation::kLESS;
    return less ? atLeast(*j, *i, 0) : atLeast(*i, *j, 0);
}

std::optional<ElementRule> ElementRules::select(Step const& step) {
    std::array<std::optional<ElementRule>, 3> rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        std::optional<ElementRule> const rule = of(step.inputs()[i]);
        rules[i] = rule.has_value() ? asChoice(*rule) : std::nullopt;
        if (!rules[i].has_value()) {
            return std::nullopt;
        }
    }
    ElementRule const& condition = *rules[0];
    if (condition.yes == condition.no) {
        return condition.yes != 0.0 ? rules[1] : rules[2];
    }
    for (std::optional<ElementRule> const& rule : {rules[1], rules[2]}) {
        if (rule->yes != rule->no && !rule->sameForm(condition)) {
            return std::nullopt;
        }
    }
    ElementRule rule = condition;
    rule.yes = condition.yes != 0.0 ? rules[1]->yes : rules[2]->yes;
    rule.no = condition.no != 0.0 ? rules[1]->no : rules[2]->no;
    return rule;
}

} // namespace kiln::compiler
