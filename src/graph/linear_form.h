// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/expr_node.h"

namespace kiln::graph {

/// constant + times * node + ...: what an expression is as a sum. It shows relations that the
/// expression's own operations hide: x + 3 - x is 3, and a * x - b * x is (a - b) * x.
struct LinearForm {
    struct Term {
        ExprRef of = 0; ///< a leaf, or an operation that is no sum
        int64_t times = 0;
        auto operator<=>(Term const&) const = default;
    };
    int64_t constant = 0;
    std::vector<Term> terms; ///< by increasing `of`, none with times 0

    bool isConstant() const noexcept { return terms.empty(); }
    auto operator<=>(LinearForm const&) const = default;
};

/// The forms of the nodes of an expression table, in the order of the table.
class LinearForms {
public:
    LinearForms() = default;
    explicit LinearForms(std::span<ExprNode const> nodes);

    LinearForm const& of(ExprRef ref) const { return forms_[static_cast<std::size_t>(ref)]; }
    /// The form of the node that is to become number `ref`; its operands have forms.
    LinearForm formOf(ExprNode const& node, ExprRef ref) const;
    /// of(a) - of(b); empty if it has too many terms or overflows.
    std::optional<LinearForm> difference(ExprRef a, ExprRef b) const;
    /// Whether a + b is 1, as for a truth value and its negation.
    bool addUpToOne(ExprRef a, ExprRef b) const;

    void add(LinearForm form) { forms_.push_back(std::move(form)); }
    void shorten(std::size_t size) { forms_.resize(size); }

private:
    std::vector<LinearForm> forms_;
};

} // namespace kiln::graph
