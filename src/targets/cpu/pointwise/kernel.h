// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of an operation, or of a region, that runs as a Program.
#pragma once

#include "targets/cpu/op_kernel.h"
#include "targets/cpu/pointwise/program.h"

namespace kiln::targets::cpu {

template <typename AnyOp>
struct PointwiseKernel {
    using Op = AnyOp;
    using State = Program;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        auto const order = commonOrder(node);
        if (!order) {
            return orderRefusal(node);
        }
        using Point = NodeAt::Point;
        for (Point const point : {Point::kLeast, Point::kOptimum, Point::kMost}) {
            NodeAt const at(node, point);
            if (std::string reason = chainRefusal(chainOf(op, at.workload(), *order));
                !reason.empty()) {
                return reason;
            }
        }
        return {};
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        NodeAt const at(node, NodeAt::Point::kOptimum);
        return chainSeconds(chainOf(op, at.workload(), commonOrder(node).value()));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        auto const order = commonOrder(workload);
        Chain const chain = order ? chainOf(op, workload, *order) : Chain{};
        if (std::string const reason = order ? chainRefusal(chain) : "memory formats that differ";
            !reason.empty()) {
            fail(ErrorKind::kInvalidArgument, "[shape] {}: {}. Build the plan again.", op.kind(),
                 reason);
        }
        state = programOf(chain);
        return launchOf<&runProgram>;
    }
};

} // namespace kiln::targets::cpu
