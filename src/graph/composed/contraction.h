// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/parts.h"

namespace kiln::graph {

/// A value whose axes have names. Axes of one name are the same axis.
struct NamedValue {
    int32_t value = 0;
    std::vector<int32_t> axes;

    bool has(int32_t name) const;
    /// Index of a named axis.
    int32_t axisOf(int32_t name) const;
};

/// Sums of products of values with named axes, by operations that exist.
class Contraction {
public:
    Contraction(Parts& parts, ExprPool const& pool) : parts_(parts), pool_(pool) {}

    /// Joins axes of the same name: the elements whose indices along these are equal.
    NamedValue diagonal(NamedValue value);
    /// Sums over all axes that are not in `kept`.
    NamedValue sum(NamedValue const& value, std::vector<int32_t> const& kept);
    /// The product, summed over the axes that are not in `kept`. Neighbours in `kept` that come
    /// from one operand need no transposition.
    NamedValue multiply(NamedValue left, NamedValue right, std::vector<int32_t> const& kept);
    /// The axes in this order.
    NamedValue ordered(NamedValue const& value, std::vector<int32_t> const& axes);

private:
    /// An extent of a value.
    struct Source {
        int32_t value;
        int32_t axis;
    };
    /// Each extent is the product of some extents; of none, 1.
    using Extents = std::vector<std::vector<Source>>;

    NamedValue diagonal(NamedValue const& value, std::size_t first, std::size_t second);
    int32_t reshape(int32_t value, Extents const& extents);
    int32_t extentsTensor(Extents const& extents);
    NamedValue elementwise(NamedValue const& left, NamedValue const& right,
                           std::vector<int32_t> const& kept);
    NamedValue matrixProduct(NamedValue const& left, NamedValue const& right,
                             std::vector<int32_t> const& kept);
    /// An operand of a matrix product: axes of `batch`, one for all of `own` and one for all of
    /// `summed`, none if these are empty.
    struct Matrix {
        int32_t value;
        bool vector;     ///< no axis for `own`
        bool ownIsFirst; ///< in front of `summed`
    };
    Matrix matrixOf(NamedValue const& value, std::vector<int32_t> const& batch,
                    std::vector<int32_t> const& own, std::vector<int32_t> const& summed);
    /// Drops axes that one operand has once and the other several times, and both sum over.
    void sumBroadcasts(NamedValue& one, NamedValue& other, std::vector<int32_t> const& kept);
    bool isOne(NamedValue const& value, int32_t name) const;

    /// -1: it depends on the inputs.
    int64_t knownExtent(Source const& source) const;

    Parts& parts_;
    ExprPool const& pool_;
};

} // namespace kiln::graph
