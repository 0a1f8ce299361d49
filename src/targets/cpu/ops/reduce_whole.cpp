// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reduce of int32 and int64 whose combined axes lie side by side in memory: contiguous rows, or
// rows of neighbouring columns that are combined element by element. Sums and products wrap around,
// as in reduce.cpp. Threads share the rows or the columns.
#include <algorithm>
#include <limits>

#include "graph/ops/reduce.h"
#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/elementwise_functions.h"
#include "targets/cpu/reduce_workload.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::ReduceOperation;

struct ReduceWhole {
    using Op = graph::Reduce;
    struct State {
        ReduceState shape;
    };
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (!commonOrder(node)) {
            return orderRefusal(node);
        }
        if (std::string reason = refuseLostAxes(op, node); !reason.empty()) {
            return reason;
        }
        DataType const type = node.inputs[0].type.type;
        if (type != DataType::kINT32 && type != DataType::kINT64) {
            return fmt::format("expected int32 or int64, got {}", nameOf(type));
        }
        using Point = target::NodeAt::Point;
        for (Point const point : {Point::kLeast, Point::kOptimum, Point::kMost}) {
            target::NodeAt const at(node, point);
            if (!stateOf(op, at.workload().inputs[0], commonOrder(node).value())) {
                return "expected combined axes side by side in memory";
            }
        }
        return {};
    }

    static double estimate(Op const&, NodeSpec const& node) {
        return target::bytesMoved(node) / 1e10;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.shape = checkedState(op, workload);
        return workload.type() == DataType::kINT32 ? functionOf<int32_t>(op.operation)
                                                   : functionOf<int64_t>(op.operation);
    }

private:
    static constexpr int64_t kColumns = 1024; // of a block

    template <typename T, typename Step, T kStart>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const outer = state.shape.outer;
        int64_t const extent = state.shape.extent;
        int64_t const inner = state.shape.inner;
        auto const finish = [&](T& total) {
            total = state.shape.averages ? Quotient::of(total, static_cast<T>(extent)) : total;
        };
        if (inner == 1) {
            parallelFor(outer, grainFor(extent), [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                    T total = kStart;
                    for (int64_t i = 0; i < extent; ++i) {
                        total = Step::of(total, from[row * extent + i]);
                    }
                    finish(total);
                    to[row] = total;
                }
            });
            return;
        }
        forColumns(outer, inner, kColumns, extent * std::min(inner, kColumns) / 2,
                   [&](int64_t part, int64_t first, int64_t count) {
                       T* const totals = to + part * inner + first;
                       std::fill_n(totals, count, kStart);
                       for (int64_t i = 0; i < extent; ++i) {
                           T const* const x = from + (part * extent + i) * inner + first;
                           for (int64_t k = 0; k < count; ++k) {
                               totals[k] = Step::of(totals[k], x[k]);
                           }
                       }
                       std::for_each(totals, totals + count, finish);
                   });
    }

    template <typename T>
    static target::KernelFunction functionOf(ReduceOperation operation) {
        switch (operation) {
        case ReduceOperation::kPROD: return launchOf<&run<T, Product, T{1}>>;
        case ReduceOperation::kMAX:
            return launchOf<&run<T, Maximum, std::numeric_limits<T>::min()>>;
        case ReduceOperation::kMIN:
            return launchOf<&run<T, Minimum, std::numeric_limits<T>::max()>>;
        default: return launchOf<&run<T, Sum, T{0}>>;
        }
    }
};

} // namespace

void registerKernel_reduce_whole(KernelRegistry& registry) {
    registry.add(entryOf<ReduceWhole>("reduce_whole"));
}

} // namespace kiln::targets::cpu
