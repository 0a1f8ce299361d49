// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/linear_form.h"

namespace kiln::graph {
namespace {

// Extents are sums of a few terms. The limit keeps a long chain of additions from costing a
// quadratic amount of memory.
constexpr std::size_t kMostTerms = 8;

/// sum += factor * form. Returns false if it has too many terms or overflows.
bool addScaled(LinearForm& sum, LinearForm const& form, int64_t factor) {
    auto const accumulate = [factor](int64_t& to, int64_t number) {
        int64_t product = 0;
        return !__builtin_mul_overflow(number, factor, &product) &&
               !__builtin_add_overflow(to, product, &to);
    };
    if (!accumulate(sum.constant, form.constant)) {
        return false;
    }
    std::vector<LinearForm::Term> merged;
    auto left = sum.terms.begin();
    auto right = form.terms.begin();
    while (left != sum.terms.end() || right != form.terms.end()) {
        bool const takesLeft =
            right == form.terms.end() || (left != sum.terms.end() && left->of <= right->of);
        LinearForm::Term term{takesLeft ? left->of : right->of, 0};
        if (left != sum.terms.end() && left->of == term.of) {
            term.times = (left++)->times;
        }
        if (right != form.terms.end() && right->of == term.of &&
            !accumulate(term.times, (right++)->times)) {
            return false;
        }
        if (term.times != 0) {
            merged.push_back(term);
        }
    }
    sum.terms = std::move(merged);
    return sum.terms.size() <= kMostTerms;
}

/// form / divisor, if nothing is rounded. All quotients are then the same.
bool divideExactly(LinearForm& form, int64_t divisor) {
    auto const divides = [divisor](int64_t number) { return number % divisor == 0; };
    if (divisor < 1 || !divides(form.constant)) {
        return false;
    }
    for (LinearForm::Term const& term : form.terms) {
        if (!divides(term.times)) {
            return false;
        }
    }
    form.constant /= divisor;
    for (LinearForm::Term& term : form.terms) {
        term.times /= divisor;
    }
    return true;
}

/// The form of an operation on forms; empty if the operation gives no sum.
std::optional<LinearForm> combined(ExprOp op, LinearForm const& a, LinearForm const& b) {
    LinearForm result;
    switch (op) {
    case ExprOp::kSum:
        result = a;
        return addScaled(result, b, 1) ? std::optional(result) : std::nullopt;
    case ExprOp::kSub:
        result = a;
        return addScaled(result, b, -1) ? std::optional(result) : std::nullopt;
    case ExprOp::kProd:
        if (!a.isConstant() && !b.isConstant()) {
            return std::nullopt;
        }
        return addScaled(result, a.isConstant() ? b : a, a.isConstant() ? a.constant : b.constant)
                   ? std::optional(result)
                   : std::nullopt;
    case ExprOp::kFloorDiv:
    case ExprOp::kCeilDiv:
    case ExprOp::kTruncDiv:
        result = a;
        return b.isConstant() && divideExactly(result, b.constant) ? std::optional(result)
                                                                   : std::nullopt;
    default: return std::nullopt;
    }
}

} // namespace

LinearForms::LinearForms(std::span<ExprNode const> nodes) {
    forms_.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        add(formOf(nodes[i], static_cast<ExprRef>(i)));
    }
}

LinearForm LinearForms::formOf(ExprNode const& node, ExprRef ref) const {
    if (node.op == ExprOp::kConstant) {
        return {node.value, {}};
    }
    if (isIntegerOperation(node.op)) {
        if (std::optional<LinearForm> form = combined(node.op, of(node.a), of(node.b))) {
            return *std::move(form);
        }
    }
    return {0, {{ref, 1}}};
}

std::optional<LinearForm> LinearForms::difference(ExprRef a, ExprRef b) const {
    return combined(ExprOp::kSub, of(a), of(b));
}

bool LinearForms::addUpToOne(ExprRef a, ExprRef b) const {
    std::optional<LinearForm> const sum = combined(ExprOp::kSum, of(a), of(b));
    return sum == LinearForm{1, {}};
}

} // namespace kiln::graph
