// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter with a reduction: copies the data, then combines it with the updates, in their order, so
// that results do not depend on the number of threads. kELEMENT: threads share the coordinates
// other than that of the axis. kND: threads share the elements that tuples select, and each reads
// all tuples. float16 and bfloat16 are rounded after each step; integers wrap around.
#include "graph/ops/gather.h"
#include "graph/ops/scatter.h"
#include "target/workload/scatter_data.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/scattered_elements.h"

namespace kiln::targets::cpu {
namespace {

using graph::Scatter;

/// x and y combined. Of NaN and a number, the result is NaN.
template <typename T>
T combined(ScatterReduction how, T a, T b) noexcept {
    auto const x = load(a);
    auto const y = load(b);
    using Number = ComputeType<T>;
    switch (how) {
    case ScatterReduction::kMAX: return x > y || x != x ? a : b;
    case ScatterReduction::kMIN: return x < y || x != x ? a : b;
    default: break;
    }
    bool const sum = how == ScatterReduction::kSUM;
    if constexpr (std::is_integral_v<Number>) {
        auto const u = static_cast<uint64_t>(x);
        auto const v = static_cast<uint64_t>(y);
        return static_cast<T>(sum ? u + v : u * v);
    } else {
        return store<T>(sum ? x + y : x * y);
    }
}

struct ScatterReduce {
    using Op = Scatter;
    struct State : ScatteredElements { // for kELEMENT
        BytesToCopy data;
        ScatterReduction how = ScatterReduction::kSUM;
        DataType indexType = DataType::kINT32;
        int64_t tuples = 0;
        int64_t inner = 1; ///< elements that a tuple selects
        int32_t tuple = 1;
        int64_t outer = 1;                             ///< what tuples select from
        std::array<int64_t, Dims::MAX_DIMS> extents{}; ///< of the axes that a tuple selects from
    };

    static std::string refuse(Op const& op, NodeSpec const&) {
        return op.reduction == ScatterReduction::kNONE ? "expected a reduction, got none" : "";
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& data = workload.inputs[Scatter::kData];
        Dims const& indices = workload.inputs[Scatter::kIndices];
        DataType const type = workload.type();
        state = {};
        state.data.count = bytesFor(type, volume(data, "scatter"));
        state.how = op.reduction;
        state.indexType = workload.inputTypes[Scatter::kIndices].type;
        bool const tuples = op.mode == nvinfer1::ScatterMode::kND;
        tuples ? setTuples(data, indices, state)
               : state.set(op.axisFor(data.nbDims), data, indices);
        auto const choose = [&](auto value) -> target::KernelFunction {
            using T = decltype(value);
            return tuples ? launchOf<&runTuples<T>> : launchOf<&runElements<T>>;
        };
        if (type == DataType::kBF16) {
            return choose(BFloat16{});
        }
        if (type == DataType::kBOOL) { // "or" is the maximum of 0 and 1, "and" the minimum
            bool const either = state.how == ScatterReduction::kSUM;
            bool const both = state.how == ScatterReduction::kPROD;
            state.how = either ? ScatterReduction::kMAX : both ? ScatterReduction::kMIN : state.how;
            return choose(uint8_t{});
        }
        return dispatchType(type, "scatter", [&](auto value) {
            using T =
                std::conditional_t<std::is_same_v<decltype(value), bool>, uint8_t, decltype(value)>;
            return choose(T{});
        });
    }

private:
    static void setTuples(Dims const& data, Dims const& indices, State& state) {
        state.tuple = static_cast<int32_t>(indices.d[indices.nbDims - 1]);
        state.tuples = volume(indices, "scatter") / state.tuple;
        for (int32_t i = 0; i < data.nbDims; ++i) {
            if (i < state.tuple) {
                state.extents[static_cast<std::size_t>(i)] = data.d[i];
                state.outer *= data.d[i];
            } else {
                state.inner *= data.d[i];
            }
        }
    }

    template <typename T>
    static void runElements(State const& state, KernelCall const& call) {
        copyBytes(state.data, call);
        auto const* const updates = static_cast<T const*>(call.inputs[Scatter::kUpdates]);
        auto* const to = static_cast<T*>(call.outputs[0]);
        parallelFor(
            state.others.count(), grainFor(4 * state.along), [&](int64_t begin, int64_t end) {
                for (int64_t line = begin; line < end; ++line) {
                    auto const offsets = state.others.atElement(line);
                    for (int64_t i = 0; i < state.along; ++i) {
                        int64_t const from = offsets[0] + i * state.stride;
                        int64_t const index = graph::wrappedIndex(
                            integerAt(call.inputs[Scatter::kIndices], state.indexType, from),
                            state.extent);
                        if (index >= 0) {
                            T& at = to[offsets[1] + index * state.step];
                            at = combined(state.how, at, updates[from]);
                        }
                    }
                }
            });
    }

    /// The number of the part that a tuple selects; -1 if it is outside of the data.
    static int64_t find(State const& state, void const* indices, int64_t number) {
        int64_t part = 0;
        for (int32_t i = 0; i < state.tuple; ++i) {
            int64_t const extent = state.extents[static_cast<std::size_t>(i)];
            int64_t const index = graph::wrappedIndex(
                integerAt(indices, state.indexType, number * state.tuple + i), extent);
            if (index < 0) {
                return -1;
            }
            part = part * extent + index;
        }
        return part;
    }

    template <typename T>
    static void runTuples(State const& state, KernelCall const& call) {
        copyBytes(state.data, call);
        auto const* const updates = static_cast<T const*>(call.inputs[Scatter::kUpdates]);
        auto* const to = static_cast<T*>(call.outputs[0]);
        int64_t const work = state.tuples * (4 + state.inner);
        int64_t const parts = work < grainFor(1) ? 1 : threadCount();
        int64_t const count = state.outer * state.inner;
        int64_t const grain = std::max<int64_t>((count + parts - 1) / parts, 1);
        parallelFor(count, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = 0; i < state.tuples; ++i) {
                int64_t const part = find(state, call.inputs[Scatter::kIndices], i);
                int64_t const first = std::max(begin, part * state.inner);
                int64_t const last = part < 0 ? 0 : std::min(end, (part + 1) * state.inner);
                T const* const from = updates + (i - part) * state.inner;
                for (int64_t at = first; at < last; ++at) {
                    to[at] = combined(state.how, to[at], from[at]);
                }
            }
        });
    }
};

} // namespace

void registerKernel_scatter_reduce(KernelRegistry& registry) {
    KernelEntry entry = entryOf<ScatterReduce>("scatter_reduce");
    entry.overwriting = target::overScatterData;
    registry.add(std::move(entry));
}

} // namespace kiln::targets::cpu
