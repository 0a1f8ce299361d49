// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "graph/ops/reduce.h"
#include "targets/cpu/memory_order.h"
#include "targets/cpu/vector_functions.h"

namespace kiln::targets::cpu {

/// The op with its axes in memory order.
graph::Reduce arranged(graph::Reduce const& op, MemoryOrder order, int32_t rank);

/// Why the output of a node would not be in the order of the input; empty if it is.
std::string refuseLostAxes(graph::Reduce const& op, target::NodeSpec const& node);

/// Input as [outer, extent, inner], where the axes of `extent` are combined.
struct ReduceState {
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    FoldFunction fold = FoldFunction::kSum;
    bool averages = false;

    /// What a total becomes.
    float finish(double total) const {
        return static_cast<float>(averages ? total / static_cast<double>(extent) : total);
    }
};

double startOf(FoldFunction fold);
double combined(FoldFunction fold, double x, double y);

/// Empty if the combined axes do not lie side by side in memory. Axes of one element do not count.
std::optional<ReduceState> stateOf(graph::Reduce const& op, Dims const& dims, MemoryOrder order);

/// The state at each extent of a node must pass `problem`.
std::string refuseStates(graph::Reduce const& op, target::NodeSpec const& node,
                         std::function<std::string(ReduceState const&)> const& problem);

/// For prepare() of a kernel. Throws kCorruptData where stateOf() is empty.
ReduceState checkedState(graph::Reduce const& op, target::Workload const& workload);

} // namespace kiln::targets::cpu
