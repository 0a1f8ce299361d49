// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "target/candidate.h"
#include "target/workload/workload.h"

namespace kiln::target {

std::vector<OperandType> typesOf(std::span<OperandSpec const> operands);

/// The operands of a node at its smallest, optimum or largest extents.
class NodeAt {
public:
    enum class Point : uint8_t { kLeast, kOptimum, kMost };
    static constexpr Point kPoints[] = {Point::kOptimum, Point::kLeast, Point::kMost};

    NodeAt(NodeSpec const& node, Point point);
    /// Valid as long as this object.
    Workload workload() const { return {inputTypes_, outputTypes_, inputs_, outputs_}; }

private:
    std::vector<OperandType> inputTypes_;
    std::vector<OperandType> outputTypes_;
    std::vector<Dims> inputs_;
    std::vector<Dims> outputs_;
};

} // namespace kiln::target
