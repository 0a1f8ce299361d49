// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The order of axes in memory. Linear tensors keep their axes; in kHWC and kDHWC, dense and of any
// type, the axis of the channels is the last one. A kernel that works on axes in memory order
// supports both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "target/candidate.h"
#include "target/workload/node_at.h"

namespace kiln::targets::cpu {

using target::NodeAt;

/// Number of the channel axis from the end, if channels are last in memory; 0 for linear tensors.
struct MemoryOrder {
    int32_t channelsFromEnd = 0;

    bool operator==(MemoryOrder const&) const = default;

    bool isLinear() const noexcept { return channelsFromEnd == 0; }
    /// The extents in memory order.
    Dims arranged(Dims const& dims) const noexcept;
    /// The place of an axis in memory order.
    int32_t placeOf(int32_t axis, int32_t rank) const noexcept;
    /// Bit i of the result: the axis at place i has its bit in `axes`.
    uint32_t placesOf(uint32_t axes, int32_t rank) const noexcept;
};

/// Empty for formats with vectors of channels.
std::optional<MemoryOrder> memoryOrderOf(TensorFormat format) noexcept;

/// The order that all operands share; empty if there is none. A linear operand is also in
/// channels-last order if its channels or its positions are one, as those of a bias are.
std::optional<MemoryOrder> commonOrder(target::Workload const& workload) noexcept;
/// At the largest extents.
std::optional<MemoryOrder> commonOrder(target::NodeSpec const& node);

/// Why commonOrder() is empty.
std::string orderRefusal(target::NodeSpec const& node);

/// A workload in memory order, with linear operands.
class ArrangedWorkload {
public:
    /// Throws kUnsupported if the operands share no order.
    ArrangedWorkload(graph::Op const& op, target::Workload const& workload);
    target::Workload workload() const { return {inputTypes_, outputTypes_, inputs_, outputs_}; }
    MemoryOrder order() const noexcept { return order_; }
    /// Of the first operand.
    int32_t rank() const noexcept { return rank_; }

private:
    MemoryOrder order_;
    int32_t rank_ = 0;
    std::vector<target::OperandType> inputTypes_;
    std::vector<target::OperandType> outputTypes_;
    std::vector<Dims> inputs_;
    std::vector<Dims> outputs_;
};

/// A node whose operands share an order, in memory order, with linear operands.
class ArrangedNode {
public:
    explicit ArrangedNode(target::NodeSpec const& node);
    target::NodeSpec node(graph::Op const& op) const { return {op, layer_, inputs_, outputs_}; }
    MemoryOrder order() const noexcept { return order_; }
    int32_t rank() const noexcept { return rank_; }

private:
    MemoryOrder order_;
    int32_t rank_ = 0;
    std::string_view layer_;
    std::vector<target::OperandSpec> inputs_;
    std::vector<target::OperandSpec> outputs_;
};

} // namespace kiln::targets::cpu
