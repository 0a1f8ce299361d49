// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// LRN: x / (k + alpha / window * sum of squares) ^ beta over neighbouring channels of
// [outer, channels, inner]. float32, float16 and bfloat16, computed in float32. The fast kernel
// takes blocks of neighbouring columns of `inner` in vectors; the reference takes any tensor.
#include "graph/ops/lrn.h"

#include <algorithm>
#include <cmath>

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct LRNState {
    graph::LRN op;
    graph::LRN::Planes planes;
};

/// The channels whose squares a channel's sum adds.
struct Neighbours {
    int64_t begin;
    int64_t end;

    Neighbours(LRNState const& state, int64_t channel)
        : begin(std::max<int64_t>(channel - state.op.before(), 0)),
          end(state.op.window - state.op.before() >= state.planes.channels - channel
                  ? state.planes.channels
                  : channel + state.op.window - state.op.before()) {}
};

template <typename Kernel>
target::KernelFunction prepareLRN(graph::LRN const& op, Workload const& workload, LRNState& state) {
    state = {op, graph::LRN::planesOf(workload.inputs[0])};
    return dispatchFloat(workload.type(), "LRN", [](auto value) -> target::KernelFunction {
        return launchOf<&Kernel::template run<decltype(value)>>;
    });
}

struct LRNColumns {
    using Op = graph::LRN;
    using State = LRNState;

    static std::string refuse(Op const&, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        int64_t const inner = Op::planesOf(node.inputs[0].opt).inner;
        return inner >= kFewestColumns
                   ? std::string()
                   : fmt::format("expected planes of {} or more elements, got {}", kFewestColumns,
                                 inner);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        return elementsOf(node) * 1e-9 * (1.0 + 0.1 * static_cast<double>(op.window));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        return prepareLRN<LRNColumns>(op, workload, state);
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        auto const& planes = state.planes;
        int64_t const steps = planes.channels * std::min(planes.inner, kColumns);
        forColumns(planes.outer, planes.inner, kColumns, steps,
                   [&](int64_t outer, int64_t first, int64_t count) {
                       int64_t const offset = outer * planes.channels * planes.inner + first;
                       runBlock(state, from + offset, to + offset, count);
                   });
    }

private:
    static constexpr int64_t kFewestColumns = 8;
    static constexpr int64_t kColumns = 256; // of a block

    template <typename T>
    static void runBlock(State const& state, T const* from, T* to, int64_t count) {
        auto const combine = [&](CombineFunction function, float const* x, float const* y,
                                 float* result) {
            isa().combines[static_cast<std::size_t>(function)][0](x, y, result, count);
        };
        auto const map = [&](MapFunction function, float* values, float a, float b) {
            isa().maps[static_cast<std::size_t>(function)](values, values, count, a, b);
        };
        float const factor = state.op.alpha / static_cast<float>(state.op.window);
        int64_t const inner = state.planes.inner;
        float buffer[kColumns];
        float squares[kColumns];
        float sums[kColumns];
        for (int64_t channel = 0; channel < state.planes.channels; ++channel) {
            std::fill_n(sums, count, 0.0F);
            Neighbours const near(state, channel);
            for (int64_t i = near.begin; i < near.end; ++i) {
                float const* x = readBlock(from + i * inner, 1, count, buffer);
                combine(CombineFunction::kProduct, x, x, squares);
                combine(CombineFunction::kSum, sums, squares, sums);
            }
            map(MapFunction::kLinear, sums, factor, state.op.k);
            map(MapFunction::kPower, sums, state.op.beta, 0.0F);
            float const* x = readBlock(from + channel * inner, 1, count, buffer);
            combine(CombineFunction::kQuotient, x, sums, sums);
            fromFloats(sums, to + channel * inner, count);
        }
    }
};

struct LRNReference {
    using Op = graph::LRN;
    using State = LRNState;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        return elementsOf(node) * 2e-8 * (1.0 + 0.1 * static_cast<double>(op.window));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        return prepareLRN<LRNReference>(op, workload, state);
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        auto const& planes = state.planes;
        float const factor = state.op.alpha / static_cast<float>(state.op.window);
        int64_t const count = planes.outer * planes.channels * planes.inner;
        int64_t const terms = std::min(state.op.window, planes.channels);
        parallelFor(count, grainFor(8 + terms), [&](int64_t begin, int64_t end) {
            for (int64_t index = begin; index < end; ++index) {
                int64_t const channel = index / planes.inner % planes.channels;
                Neighbours const near(state, channel);
                T const* const column = from + index - channel * planes.inner;
                float sum = 0.0F;
                for (int64_t i = near.begin; i < near.end; ++i) {
                    float const x = load(column[i * planes.inner]);
                    sum += x * x;
                }
                to[index] = store<T>(load(from[index]) /
                                     std::pow(state.op.k + factor * sum, state.op.beta));
            }
        });
    }
};

} // namespace

void registerKernel_lrn(KernelRegistry& registry) {
    registry.add(entryOf<LRNColumns>("lrn_columns"));
    registry.add(entryOf<LRNReference>("lrn_reference"));
}

} // namespace kiln::targets::cpu
