// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax: exp(x - max) / sum(exp(x - max)) along one axis of a row-major tensor, treated as
// [outer, axis, inner]. float32, float16 and bfloat16, computed in float32. Threads share the
// lanes. One fast kernel takes the last axis in memory, where a lane is contiguous; the other takes
// any other axis, and many neighbouring lanes at once.
#include "graph/ops/softmax.h"

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

/// The tensor as [outer, extent, inner].
struct Lanes {
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
};

Lanes lanesOf(graph::SoftMax const& op, Dims const& dims) {
    int32_t const axis = op.axisFor(dims.nbDims);
    Lanes lanes;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        (i < axis ? lanes.outer : i == axis ? lanes.extent : lanes.inner) *= dims.d[i];
    }
    return lanes;
}

/// The op with its axis in memory order.
graph::SoftMax arranged(graph::SoftMax const& op, MemoryOrder order, int32_t rank) {
    graph::SoftMax result = op;
    result.axes = order.placesOf(op.axesFor(rank), rank);
    return result;
}

struct SoftMaxRows {
    using Op = graph::SoftMax;
    using State = Lanes;

    static Op inOrder(Op const& op, MemoryOrder order, int32_t rank) {
        return arranged(op, order, rank);
    }

    /// Rows of 16-bit types need a float32 copy, which is on each thread's stack.
    static constexpr int64_t kLongestHalfRow = 16384;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        Lanes const lanes = lanesOf(op, node.inputs[0].max);
        if (lanes.inner != 1) {
            return "expected the last axis";
        }
        if (node.inputs[0].type.type != DataType::kFLOAT && lanes.extent > kLongestHalfRow) {
            return fmt::format("expected 16-bit rows of at most {} elements, got {}",
                               kLongestHalfRow, lanes.extent);
        }
        return {};
    }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 5e-10; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = lanesOf(op, workload.inputs[0]);
        bool const tooLong = workload.type() != DataType::kFLOAT && state.extent > kLongestHalfRow;
        if (state.inner != 1 || tooLong) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'softmax_rows': expected rows in memory, got {}. Build the plan "
                 "again.",
                 toText(workload.inputs[0]));
        }
        return dispatchFloat(workload.type(), "softmax", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const extent = state.extent;
        parallelFor(state.outer, grainFor(extent), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                softmaxRow(from + row * extent, to + row * extent, extent);
            }
        });
    }

    static void softmaxRow(float const* from, float* to, int64_t extent) {
        isa().softmax(from, to, extent);
    }

    template <typename T>
    static void softmaxRow(T const* from, T* to, int64_t extent) {
        float row[kLongestHalfRow];
        toFloats(from, row, extent);
        softmaxRow(row, row, extent);
        fromFloats(row, to, extent);
    }
};

/// Blocks of columns of [extent, inner]: maximum, sum and result of many lanes at once.
struct SoftMaxColumns {
    using Op = graph::SoftMax;
    using State = Lanes;

    static Op inOrder(Op const& op, MemoryOrder order, int32_t rank) {
        return arranged(op, order, rank);
    }

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        int64_t const inner = lanesOf(op, node.inputs[0].opt).inner;
        return inner >= kFewestColumns ? std::string()
                                       : fmt::format("expected {} or more elements inside of the "
                                                     "axis, got {}",
                                                     kFewestColumns, inner);
    }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 1e-9; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = lanesOf(op, workload.inputs[0]);
        return dispatchFloat(workload.type(), "softmax", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kFewestColumns = 8;
    static constexpr int64_t kColumns = 256; // of a block

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const steps = state.extent * std::min(state.inner, kColumns) / 4;
        forColumns(state.outer, state.inner, kColumns, steps,
                   [&](int64_t outer, int64_t first, int64_t count) {
                       int64_t const offset = outer * state.extent * state.inner + first;
                       softmaxBlock(from + offset, to + offset, state, count);
                   });
    }

    template <typename T>
    static void softmaxBlock(T const* from, T* to, Lanes const& lanes, int64_t count) {
        Isa const& functions = isa();
        auto const combine = [&](CombineFunction function, float const* x, float const* y,
                                 float* result) {
            functions.combines[static_cast<std::size_t>(function)][0](x, y, result, count);
        };
        float buffer[kColumns];
        float largest[kColumns];
        float sums[kColumns];
        float powers[kColumns];
        std::fill_n(largest, count, -std::numeric_limits<float>::infinity());
        std::fill_n(sums, count, 0.0F);
        for (int64_t i = 0; i < lanes.extent; ++i) {
            float const* x = readBlock(from + i * lanes.inner, 1, count, buffer);
            combine(CombineFunction::kMaximum, x, largest, largest);
        }
        auto const power = [&](int64_t i) {
            float const* x = readBlock(from + i * lanes.inner, 1, count, buffer);
            combine(CombineFunction::kDifference, x, largest, powers);
            functions.exp(powers, 0.0F, powers, count);
        };
        // float32 keeps the powers in the result; 16-bit types compute them twice.
        constexpr bool kKeeps = std::is_same_v<T, float>;
        for (int64_t i = 0; i < lanes.extent; ++i) {
            power(i);
            combine(CombineFunction::kSum, powers, sums, sums);
            if constexpr (kKeeps) {
                fromFloats(powers, to + i * lanes.inner, count);
            }
        }
        for (int64_t i = 0; i < lanes.extent; ++i) {
            T* const row = to + i * lanes.inner;
            if constexpr (kKeeps) {
                combine(CombineFunction::kQuotient, row, sums, row);
            } else {
                power(i);
                combine(CombineFunction::kQuotient, powers, sums, powers);
                fromFloats(powers, row, count);
            }
        }
    }
};

struct SoftMaxReference {
    using Op = graph::SoftMax;
    using State = Lanes;

    static Op inOrder(Op const& op, MemoryOrder order, int32_t rank) {
        return arranged(op, order, rank);
    }

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 2e-8; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = lanesOf(op, workload.inputs[0]);
        return dispatchFloat(workload.type(), "softmax", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(state.outer * state.inner, grainFor(8 * state.extent),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t lane = begin; lane < end; ++lane) {
                            int64_t const offset = lane / state.inner * state.extent * state.inner +
                                                   lane % state.inner;
                            softmaxLane(from + offset, to + offset, state.extent, state.inner);
                        }
                    });
    }

    template <typename T>
    static void softmaxLane(T const* from, T* to, int64_t extent, int64_t stride) {
        float largest = -std::numeric_limits<float>::infinity();
        for (int64_t i = 0; i < extent; ++i) {
            largest = std::max(largest, load(from[i * stride]));
        }
        float sum = 0.0F;
        for (int64_t i = 0; i < extent; ++i) {
            sum += std::exp(load(from[i * stride]) - largest);
        }
        for (int64_t i = 0; i < extent; ++i) {
            to[i * stride] = store<T>(std::exp(load(from[i * stride]) - largest) / sum);
        }
    }
};

} // namespace

void registerKernel_softmax(KernelRegistry& registry) {
    registry.add(entryOf<SoftMaxRows>("softmax_rows"));
    registry.add(entryOf<SoftMaxColumns>("softmax_columns"));
    registry.add(entryOf<SoftMaxReference>("softmax_reference"));
}

} // namespace kiln::targets::cpu
