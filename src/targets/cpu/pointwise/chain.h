// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a Program computes: pointwise operations on values, with reductions of rows among them. One
// operation by itself is a chain as well.
#pragma once

#include <string>
#include <vector>

#include "graph/ops/region.h"
#include "target/workload/region_operands.h"
#include "target/workload/workload.h"
#include "targets/cpu/memory_order.h"

namespace kiln::targets::cpu {

struct Chain {
    static constexpr std::size_t kMostOperands = 32;
    static constexpr std::size_t kMostNodes = 64;
    static constexpr std::size_t kMostValues = 128; ///< slices of inputs included

    struct Node {
        graph::Op const* op = nullptr;
        std::vector<int32_t> inputs;
        int32_t output = 0;
    };
    /// Extents in memory order.
    struct Value {
        DataType type = DataType::kFLOAT;
        Dims dims{};
    };

    /// What the nodes read from memory.
    struct Operand {
        int32_t value = 0;
        std::size_t input = 0; ///< of the kernel
        target::OperandStrides strides;

        bool isSlice() const noexcept { return value != static_cast<int32_t>(input); }
    };

    MemoryOrder order;
    std::vector<Operand> operands;
    std::vector<Value> values; ///< the inputs, then the outputs of the nodes
    std::vector<Node> nodes;
    std::vector<int32_t> results;

    /// The broadcast extents of all values; rank -1 if their ranks differ.
    Dims domain;
    uint32_t rowAxes = 0; ///< those that reductions combine, in memory order; 0: no reductions

    int32_t readersOf(int32_t value) const;
    Value const& valueAt(int32_t number) const { return values[static_cast<std::size_t>(number)]; }
};

/// Chains at given extents of the operands. `op` must outlive the chain. The order is that of all
/// operands.
Chain chainOf(graph::Op const& op, target::Workload const& workload, MemoryOrder order);
Chain chainOf(graph::Region const& region, target::Workload const& workload, MemoryOrder order);

/// Why no Program can run the chain; empty if one can. The answer does not depend on extents except
/// for those that are 1.
std::string chainRefusal(Chain const& chain);

/// Seconds on one core at the optimum extents.
double chainSeconds(Chain const& chain);

} // namespace kiln::targets::cpu
