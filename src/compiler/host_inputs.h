// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

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

    /// Whether `values` depends only on the values of inputs in `known`.
    static bool within(graph::ExprPool const& pool, graph::ShapeValues const& values,
                       std::set<int32_t> const& known);

private:
    graph::ExprPool const& pool_;
    std::set<graph::ExprRef> seen_;
    std::set<int32_t> numbers_;
};

} // namespace kiln::compiler
