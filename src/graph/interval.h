// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/expr.h"
#include "graph/linear_form.h"

namespace kiln::graph {

/// All numbers from low to high. A bound that does not fit int64_t is the nearest number that does:
/// a value beyond it is none, because its evaluation fails. Of a real expression: the bits of the
/// real numbers.
struct Interval {
    int64_t low = 0;
    int64_t high = 0;
    bool operator==(Interval const&) const = default;
};

/// Provides the ranges of expression leaves.
class LeafRanges {
public:
    virtual ~LeafRanges() = default;
    /// Range of a leaf (kInputExtent, kShapeValue).
    virtual Interval leaf(ExprNode const& node) const = 0;
    /// Range of a size tensor, given that of its upper bound.
    virtual Interval sizeTensor(int32_t tensor, Interval upperBound) const {
        static_cast<void>(tensor);
        return {0, upperBound.high > 0 ? upperBound.high : 0};
    }
};

/// Bounds of expressions over ranges of their leaves (interval arithmetic). Every value that an
/// expression has for leaves in their ranges is within its interval. The interval is the smallest
/// one for sums of leaves and where each leaf occurs once; else it may be wider. Throws
/// kInvalidArgument if a divisor is always 0. The tables must outlive the object.
class Intervals {
public:
    Intervals(std::span<ExprNode const> nodes, LinearForms const& forms, LeafRanges const& leaves);

    /// Whether the expression was in the table when the bounds were computed.
    bool knows(ExprRef ref) const { return static_cast<std::size_t>(ref) < intervals_.size(); }
    Interval of(ExprRef ref) const { return intervals_[static_cast<std::size_t>(ref)]; }

    /// The most elements of a tensor of this shape. Less than the product of the largest extents
    /// where these exclude each other, as in [n / k, k].
    int64_t mostElements(ShapeExpr const& shape) const;

private:
    Interval compute(ExprNode const& node, LeafRanges const& leaves) const;
    Interval ofOperation(ExprNode const& node) const;
    Interval ofForm(LinearForm const& form) const;
    std::optional<Interval> choice(ExprRef one, ExprRef other) const;
    Interval comparison(ExprNode const& node) const;

    std::span<ExprNode const> nodes_;
    LinearForms const& forms_;
    std::vector<Interval> intervals_;
};

} // namespace kiln::graph
