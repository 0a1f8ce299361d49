// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "graph/network.h"

namespace kiln::compiler {

/// Collects the numbers of the network inputs whose values are used in expressions.
class HostInputs {
public:
    explicit HostInputs(graph::ExprPool const& pool) : pool_(pool) {}

    void add(graph::ExprRef ref);
    void add(graph::ShapeExpr const& shape);
    void add(graph::ShapeValues const& values);
    /// Adds the inputs that a layer of an inferred network needs for the extents of its outputs
    /// and, if it is a plugin, for its shape inputs.
    void add(graph::Node const& node);
    std::set<int32_t> const& numbers() const noexcept { return numbers_; }

private:
    graph::ExprPool const& pool_;
    std::set<graph::ExprRef> seen_;
    std::set<int32_t> numbers_;
};

/// The expressions that depend only on the values of certain network inputs. Visits each expression
/// of the pool once, however many values are asked for.
class HostExprs {
public:
    HostExprs(graph::ExprPool const& pool, std::set<int32_t> inputs)
        : pool_(pool), inputs_(std::move(inputs)) {}

    bool contain(graph::ShapeValues const& values);

private:
    bool isKnown(graph::ExprNode const& node) const;

    graph::ExprPool const& pool_;
    std::set<int32_t> inputs_;
    std::vector<bool> known_; ///< by expression, up to the last one that was asked for
};

} // namespace kiln::compiler
