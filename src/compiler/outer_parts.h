// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compiler/program.h"

namespace kiln::compiler {

/// Which steps select or join consecutive elements of linear tensors, so that their parts can be
/// views: slices, and concatenations, along the first axis whose extent is not 1.
class OuterParts {
public:
    explicit OuterParts(Program& program) : program_(program), bounds_(intervalsOf(program)) {}

    /// The number of elements in front of those that a slice selects. nullopt if they are not
    /// consecutive, may be outside, or may not begin at a multiple of plan::kViewAlignment bytes.
    std::optional<graph::ExprRef> beginOfSlice(Step const& step);
    /// The same for each input of a concatenation, in its output.
    std::optional<std::vector<graph::ExprRef>> beginsOfInputs(Step const& step);

private:
    /// start * (elements behind axis `axis` of one index of it).
    graph::ExprRef elementsBefore(graph::ShapeExpr const& shape, int32_t axis,
                                  graph::ExprRef start);
    std::optional<int32_t> outerAxis(graph::ShapeExpr const& shape) const;
    bool isNonNegative(graph::LinearForm const& form) const;
    bool isAligned(graph::ExprRef begin, DataType type) const;
    bool dependsOnSizes(graph::ShapeExpr const& shape) const;

    Program& program_;
    graph::Intervals bounds_; ///< of the expressions that were there at the beginning
};

} // namespace kiln::compiler
