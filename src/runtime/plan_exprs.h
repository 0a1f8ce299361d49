// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "plan/document.h"
#include "plugin/plugin_op.h"

namespace kiln::runtime {

/// The expressions of a plan as a pool, in which plugins can create new ones. Equal expressions are
/// the same node, so shapes can be compared by reference.
class PlanExprs {
public:
    explicit PlanExprs(plan::Document const& document);

    graph::ExprPool& pool() noexcept { return pool_; }
    graph::ShapeExpr shapeOf(plan::TensorId tensor) const;
    /// The values of a shape input. Throws kCorruptData for tensors that cannot be one.
    graph::ShapeValues valuesOf(plan::TensorId tensor);
    /// The outputs of a step that are size tensors, by output index.
    std::vector<plugin::SizeTensor> sizeTensorsOf(plan::StepRecord const& step) const;

private:
    graph::ExprRef at(int64_t ref) const { return refs_[static_cast<std::size_t>(ref)]; }

    plan::Document const& document_;
    graph::ExprPool pool_;
    std::vector<graph::ExprRef> refs_;                       ///< by expression of the plan
    std::unordered_map<plan::TensorId, int32_t> sizeNumber_; ///< by size tensor
};

} // namespace kiln::runtime
