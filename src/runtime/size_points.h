// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "plan/document.h"

namespace kiln::runtime {

/// The points in the list of steps where sizes that steps find become known. Steps up to and
/// including the first point are prepared before the run, later steps when the sizes are known.
class SizePoints {
public:
    static constexpr int32_t kAlways = -1; ///< known before the run

    explicit SizePoints(plan::Document const& document);

    bool any() const noexcept { return any_; }
    /// What becomes known after a step that writes sizes.
    struct Settled {
        std::vector<graph::ExprRef> exprs;   ///< operands before their users
        std::vector<plan::TensorId> tensors; ///< with such an extent or element
    };
    Settled const& settledBy(std::size_t step) const { return settled_[step]; }
    /// Size tensors that a step writes.
    std::vector<plan::TensorId> const& writtenBy(std::size_t step) const { return written_[step]; }
    /// Whether a step reads sizes itself, on the device: it is prepared for their upper bounds.
    bool counts(std::size_t step) const { return counts_[step]; }
    /// Whether a kernel finds sizes. It is prepared for their upper bounds, which its outputs have
    /// room for; a plugin is told that these extents are unknown.
    bool finds(std::size_t step) const {
        return document_.steps[step].plugin.isNone() && !written_[step].empty();
    }
    /// Whether a later step cannot be prepared without the sizes that a step writes.
    bool neededAfter(std::size_t step) const { return needed_[step]; }
    /// One past the first step from `step` on that writes a size, and its bodies; the number of
    /// steps if none does. If steps in these bodies write sizes, one past the first of them.
    std::size_t next(std::size_t step) const;
    /// next(first), where `first` is behind a step and its bodies. What reads the extents that a
    /// control step around it finds is not ready yet.
    std::size_t nextBehind(std::size_t step, std::size_t first) const {
        return std::min(next(first), ends_[step]);
    }
    /// Whether a step in the bodies of a control step writes a size.
    bool findsInside(std::size_t control) const { return inside_[control]; }
    /// The node of a size tensor in the expression table.
    graph::ExprNode const& nodeOf(plan::TensorId tensor) const {
        return document_.exprs[static_cast<std::size_t>(node_.at(tensor))];
    }
    /// The step after which all extents of a tensor are known.
    int32_t knownAfter(plan::TensorRecord const& tensor) const;
    int32_t knownAfter(graph::ExprRef expr) const { return after_[static_cast<std::size_t>(expr)]; }

private:
    void findSettled();
    void findNeeds();
    void findInside();

    plan::Document const& document_;
    bool any_ = false;
    std::vector<std::vector<plan::TensorId>> written_; ///< by step
    std::vector<bool> needed_;                         ///< by step
    std::vector<bool> counts_;                         ///< by step
    std::vector<bool> inside_;                         ///< by step: findsInside()
    std::vector<std::size_t> ends_;                    ///< by step: bound of nextBehind()
    std::vector<int32_t> after_;                       ///< by expression
    std::vector<Settled> settled_;                     ///< by step; empty without size tensors
    std::unordered_map<plan::TensorId, graph::ExprRef> node_; ///< by size tensor: its first node
};

} // namespace kiln::runtime
