// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/size_scopes.h"

#include <algorithm>

namespace kiln::runtime {
namespace {

/// Steps from `first` to one before `last`.
struct Scope {
    std::size_t first = 0;
    std::size_t last = 0;

    bool contains(std::size_t step) const noexcept { return step >= first && step < last; }
};

Scope common(Scope const& a, Scope const& b) {
    return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

class ScopeCheck {
public:
    explicit ScopeCheck(plan::Document const& document)
        : document_(document), bodies_(document.steps.size(), {0, document.steps.size()}),
          writers_(document.tensors.size(), 0), exprs_(document.exprs.size()) {
        findBodies();
        findExpressions();
    }

    void run() const {
        for (std::size_t i = 0; i < document_.steps.size(); ++i) {
            plan::StepRecord const& step = document_.steps[i];
            bool known = std::all_of(step.inputs.begin(), step.inputs.end(),
                                     [&](plan::TensorId tensor) { return isKnown(tensor, i); }) &&
                         std::all_of(step.outputs.begin(), step.outputs.end(),
                                     [&](plan::TensorId tensor) { return isKnown(tensor, i); });
            if (step.control.has_value() && step.control->value >= 0) {
                known = known && isKnown(step.control->value, i);
            }
            if (!known) {
                fail(ErrorKind::kCorruptData,
                     "[plan] step '{}': expected operands whose extents are known where it runs, "
                     "got a size that is found in another body. Build the plan again.",
                     step.name);
            }
        }
    }

private:
    /// The innermost body of each step, and what writes each tensor.
    void findBodies() {
        for (std::size_t i = 0; i < document_.steps.size(); ++i) {
            plan::StepRecord const& step = document_.steps[i];
            for (plan::TensorId const output : step.outputs) {
                writers_[output] = i;
            }
            if (!step.control.has_value()) {
                continue;
            }
            for (plan::FoundExtent const& extent : step.control->extents) {
                writers_[extent.size] = i;
            }
            std::size_t first = i + 1;
            for (plan::Body const& body : step.control->bodies) {
                std::size_t const last = first + static_cast<std::size_t>(body.steps);
                for (std::size_t inner = first; inner < last; ++inner) {
                    bodies_[inner] = {first, last}; // those of inner control steps come later
                }
                first = last;
            }
        }
    }

    void findExpressions() {
        for (std::size_t i = 0; i < exprs_.size(); ++i) {
            graph::ExprNode const& node = document_.exprs[i];
            exprs_[i] = {0, document_.steps.size()};
            if (node.op == graph::ExprOp::kSizeTensor) {
                exprs_[i] = bodies_[writers_[plan::TensorId::of(node.a)]];
            } else if (node.op >= graph::ExprOp::kSum) {
                exprs_[i] = common(scopeOf(node.a), scopeOf(node.b));
            }
        }
    }

    Scope const& scopeOf(int64_t expr) const { return exprs_[static_cast<std::size_t>(expr)]; }

    bool isKnown(graph::ExprRef expr, std::size_t step) const {
        return scopeOf(expr).contains(step);
    }

    bool isKnown(plan::TensorId tensor, std::size_t step) const {
        if (tensor == plan::kAbsent) {
            return true;
        }
        plan::TensorRecord const& record = document_.tensors[tensor];
        return std::all_of(record.shape.extent.begin(),
                           record.shape.extent.begin() + record.shape.rank,
                           [&](graph::ExprRef ref) { return isKnown(ref, step); }) &&
               std::all_of(record.values.begin(), record.values.end(),
                           [&](graph::ExprRef ref) { return isKnown(ref, step); });
    }

    plan::Document const& document_;
    std::vector<Scope> bodies_; ///< by step
    Table<plan::TensorId, std::size_t> writers_;
    std::vector<Scope> exprs_; ///< where its value is known
};

} // namespace

void checkSizeScopes(plan::Document const& document) {
    ScopeCheck(document).run();
}

} // namespace kiln::runtime
