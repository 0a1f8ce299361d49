// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/size_points.h"

#include <algorithm>
#include <set>

#include "graph/ops/counted_copy.h"

namespace kiln::runtime {

SizePoints::SizePoints(plan::Document const& document)
    : document_(document), written_(document.steps.size()), needed_(document.steps.size(), false),
      counts_(document.steps.size(), false), inside_(document.steps.size(), false),
      ends_(document.steps.size(), document.steps.size()), after_(document.exprs.size(), kAlways) {
    Table<plan::TensorId, int32_t> writer(document.tensors.size(), kAlways);
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        for (plan::TensorId const output : document.steps[i].outputs) {
            writer[output] = static_cast<int32_t>(i);
        }
        if (document.steps[i].control.has_value()) {
            for (plan::FoundExtent const& extent : document.steps[i].control->extents) {
                writer[extent.size] = static_cast<int32_t>(i);
            }
        }
    }
    for (std::size_t i = 0; i < document.exprs.size(); ++i) {
        graph::ExprNode const& node = document.exprs[i];
        auto const after = [&](int64_t operand) {
            return after_[static_cast<std::size_t>(operand)];
        };
        if (node.op == graph::ExprOp::kSizeTensor) {
            after_[i] = writer[plan::TensorId::of(node.a)];
            if (node_.try_emplace(plan::TensorId::of(node.a), static_cast<graph::ExprRef>(i))
                    .second) {
                written_[static_cast<std::size_t>(after_[i])].push_back(plan::TensorId::of(node.a));
            }
            any_ = true;
        } else if (node.op >= graph::ExprOp::kSum) {
            after_[i] = std::max(after(node.a), after(node.b));
        }
    }
    findSettled();
    findNeeds();
    findInside();
}

/// A body may run again, or not at all: the run reads its sizes before it goes on.
void SizePoints::findInside() {
    for (std::size_t i = 0; any_ && i < document_.steps.size(); ++i) {
        auto const& control = document_.steps[i].control;
        std::size_t const bodies = control.has_value() ? control->steps() : 0;
        for (std::size_t step = i + 1; step <= i + bodies; ++step) {
            if (!written_[step].empty()) {
                inside_[i] = true;
                needed_[step] = true;
            }
            if (!written_[i].empty()) {
                ends_[step] = i + bodies + 1;
            }
        }
    }
}

void SizePoints::findSettled() {
    if (!any_) {
        return;
    }
    settled_.resize(document_.steps.size());
    for (std::size_t i = 0; i < after_.size(); ++i) {
        if (after_[i] >= 0) {
            settled_[static_cast<std::size_t>(after_[i])].exprs.push_back(
                static_cast<graph::ExprRef>(i));
        }
    }
    for (plan::TensorId const i : document_.tensors.ids()) {
        plan::TensorRecord const& record = document_.tensors[i];
        std::set<int32_t> points;
        for (int32_t axis = 0; axis < record.shape.rank; ++axis) {
            points.insert(knownAfter(record.shape[axis]));
        }
        for (graph::ExprRef const ref : record.values) {
            points.insert(knownAfter(ref));
        }
        points.erase(kAlways);
        for (int32_t const point : points) {
            settled_[static_cast<std::size_t>(point)].tensors.push_back(i);
        }
    }
}

// A step that depends on the sizes of several points needs them at the last point, where all
// earlier sizes are read too.
void SizePoints::findNeeds() {
    for (std::size_t i = 0; any_ && i < document_.steps.size(); ++i) {
        plan::StepRecord const& step = document_.steps[i];
        counts_[i] = step.kernel.op == graph::CountedCopy::kKind;
        auto const note = [&](int32_t after) {
            if (after >= 0 && after < static_cast<int32_t>(i)) {
                needed_[static_cast<std::size_t>(after)] = true;
            }
        };
        for (auto const* operands : {&step.inputs, &step.outputs}) {
            for (plan::TensorId const tensor : *operands) {
                if (counts_[i] || tensor == plan::kAbsent) {
                    continue;
                }
                plan::TensorRecord const& record = document_.tensors[tensor];
                note(knownAfter(record));
                for (graph::ExprRef const ref : record.values) {
                    note(knownAfter(ref));
                }
            }
        }
        if (step.control.has_value()) {
            if (step.control->value >= 0) {
                note(knownAfter(step.control->value));
            }
            for (plan::TensorId const slice : step.control->slices) {
                note(knownAfter(document_.tensors[slice]));
            }
        }
        for (plan::PluginIndex const plugin : step.plugins()) {
            for (plugin::AotVariant const& variant : document_.plugins[plugin].code) {
                for (plugin::AotKernel const& kernel : variant.kernels) {
                    plugin::forEachExpression(kernel, [&](graph::ExprRef ref, std::string_view) {
                        note(knownAfter(ref));
                    });
                }
            }
        }
    }
}

std::size_t SizePoints::next(std::size_t step) const {
    while (step < written_.size() && written_[step].empty()) {
        ++step;
    }
    if (step < written_.size() && inside_[step]) {
        return next(step + 1);
    }
    std::size_t const bodies = step < written_.size() && document_.steps[step].control.has_value()
                                   ? document_.steps[step].control->steps()
                                   : 0;
    return std::min(step + 1 + bodies, written_.size());
}

int32_t SizePoints::knownAfter(plan::TensorRecord const& tensor) const {
    int32_t after = kAlways;
    for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
        after = std::max(after, knownAfter(tensor.shape[axis]));
    }
    return after;
}

} // namespace kiln::runtime
