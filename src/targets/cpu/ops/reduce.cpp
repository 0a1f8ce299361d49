// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reduce: combines all elements along some axes. float32, float16 and bfloat16 are accumulated in
// float64; int32 and int64 wrap around. If an input is NaN, the result is NaN. The output is
// written in order. One fast kernel takes the innermost axes in memory, a row for each output
// element; the other takes neighbouring axes further out, and combines whole rows of the input. In
// the reference, one nest of loops gives the start in the input for each output element, and
// another the elements to combine. Threads share the output elements.
#include "graph/ops/reduce.h"

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/elementwise_functions.h"
#include "targets/cpu/pointwise/kernel.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::ReduceOperation;

/// The accumulator type: double for floating-point types, else the type itself.
template <typename T>
using SumType = std::conditional_t<std::is_integral_v<T>, T, double>;

template <typename T>
constexpr T lowest() {
    return std::is_integral_v<T> ? std::numeric_limits<T>::min()
                                 : -std::numeric_limits<T>::infinity();
}

template <typename T>
constexpr T highest() {
    return std::is_integral_v<T> ? std::numeric_limits<T>::max()
                                 : std::numeric_limits<T>::infinity();
}

/// The op with its axes in memory order.
graph::Reduce arranged(graph::Reduce const& op, MemoryOrder order, int32_t rank) {
    graph::Reduce result = op;
    result.axes = order.placesOf(op.axes, rank);
    return result;
}

/// Why the output of a node would not be in the order of the input; empty if it is.
std::string refuseLostAxes(graph::Reduce const& op, NodeSpec const& node) {
    bool const linear = node.outputs[0].type.format == TensorFormat::kLINEAR &&
                        node.inputs[0].type.format == TensorFormat::kLINEAR;
    return op.keepsAxes || linear ? std::string() : "expected reductions that keep their axes";
}

/// Input as [outer, extent, inner], where the axes of `extent` are combined.
struct ReduceColumns {
    using Op = graph::Reduce;
    struct State {
        int64_t outer = 1;
        int64_t extent = 1;
        int64_t inner = 1;
        ReduceOperation operation = ReduceOperation::kSUM;
    };
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        if (std::string reason = refuseLostAxes(op, node); !reason.empty()) {
            return reason;
        }
        auto const order = commonOrder(node);
        if (!order) {
            return orderRefusal(node);
        }
        Dims const& dims = node.inputs[0].opt;
        State state;
        if (!split(arranged(op, *order, dims.nbDims), order->arranged(dims), state)) {
            return "expected neighbouring axes";
        }
        return state.inner >= kFewestColumns
                   ? std::string()
                   : fmt::format("expected {} or more elements inside of the axes, got {}",
                                 kFewestColumns, state.inner);
    }

    static double estimate(Op const&, NodeSpec const& node) {
        return target::bytesMoved(node) / 1e10;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {};
        state.operation = op.operation;
        auto const order = commonOrder(workload);
        Dims const& dims = workload.inputs[0];
        if (!order || !split(arranged(op, *order, dims.nbDims), order->arranged(dims), state)) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'reduce_columns': expected neighbouring axes of {}. Build the plan "
                 "again.",
                 toText(dims));
        }
        return dispatchFloat(workload.type(), "reduce", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kFewestColumns = 8;
    static constexpr int64_t kColumns = 512; // of a block

    /// Fails if the combined axes do not lie side by side. `op` and `dims` are in memory order.
    static bool split(Op const& op, Dims const& dims, State& state) {
        bool begun = false;
        bool ended = false;
        for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
            if (op.reduces(axis)) {
                if (ended) {
                    return false;
                }
                begun = true;
                state.extent *= dims.d[axis];
            } else {
                ended = begun;
                (begun ? state.inner : state.outer) *= dims.d[axis];
            }
        }
        return true;
    }

    static FoldFunction foldOf(ReduceOperation operation) {
        switch (operation) {
        case ReduceOperation::kPROD: return FoldFunction::kProduct;
        case ReduceOperation::kMAX: return FoldFunction::kMaximum;
        case ReduceOperation::kMIN: return FoldFunction::kMinimum;
        default: return FoldFunction::kSum;
        }
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const blocks = (state.inner + kColumns - 1) / kColumns;
        int64_t const steps = state.extent * std::min(state.inner, kColumns) / 8;
        parallelFor(state.outer * blocks, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t task = begin; task < end; ++task) {
                int64_t const first = task % blocks * kColumns;
                int64_t const outer = task / blocks;
                combine(state, from + outer * state.extent * state.inner + first,
                        to + outer * state.inner + first, std::min(kColumns, state.inner - first));
            }
        });
    }

    template <typename T>
    static void combine(State const& state, T const* from, T* to, int64_t count) {
        FoldFunction const fold = foldOf(state.operation);
        auto const accumulate = isa().accumulates[static_cast<std::size_t>(fold)];
        double const start = fold == FoldFunction::kSum       ? 0.0
                             : fold == FoldFunction::kProduct ? 1.0
                             : fold == FoldFunction::kMaximum ? lowest<double>()
                                                              : highest<double>();
        double totals[kColumns];
        float buffer[kColumns];
        std::fill_n(totals, count, start);
        for (int64_t i = 0; i < state.extent; ++i) {
            accumulate(totals, readBlock(from + i * state.inner, 1, count, buffer), count);
        }
        double const divisor =
            state.operation == ReduceOperation::kAVG ? static_cast<double>(state.extent) : 1.0;
        for (int64_t i = 0; i < count; ++i) {
            buffer[i] = static_cast<float>(totals[i] / divisor);
        }
        fromFloats(buffer, to, count);
    }
};

struct ReduceReference {
    using Op = graph::Reduce;
    struct State {
        Nest<1> kept;
        Nest<1> reduced;
    };

    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (!commonOrder(node)) {
            return orderRefusal(node);
        }
        DataType const type = node.inputs[0].type.type;
        bool const whole = type == DataType::kINT32 || type == DataType::kINT64;
        std::string reason = whole ? std::string() : refuseUnlessFloat(node);
        return reason.empty() ? refuseLostAxes(op, node) : reason;
    }

    static double estimate(Op const&, NodeSpec const& node) {
        double elements = 1.0;
        for (int32_t i = 0; i < node.inputs[0].opt.nbDims; ++i) {
            elements *= static_cast<double>(node.inputs[0].opt.d[i]);
        }
        return elements * 2e-9;
    }

    static target::KernelFunction prepare(Op const& given, Workload const& workload, State& state) {
        state = {};
        ArrangedWorkload const inOrder(given, workload);
        Op const op = arranged(given, inOrder.order(), inOrder.rank());
        Dims const& input = inOrder.workload().inputs[0];
        auto const strides = denseStrides(input);
        for (int32_t axis = 0; axis < input.nbDims; ++axis) {
            (op.reduces(axis) ? state.reduced : state.kept)
                .add(input.d[axis], {strides[static_cast<std::size_t>(axis)]});
        }
        switch (workload.type()) {
        case DataType::kINT32: return functionOf<int32_t>(op.operation);
        case DataType::kINT64: return functionOf<int64_t>(op.operation);
        default: break;
        }
        return dispatchFloat(workload.type(), "reduce",
                             [&](auto value) { return functionOf<decltype(value)>(op.operation); });
    }

private:
    /// to[i] = finish(the elements of i combined by Step, beginning with `start`).
    template <typename T, typename Step, typename Number, typename Finish>
    static void combine(State const& state, KernelCall const& call, Number start, Finish finish) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const inner = state.reduced.inner();
        int64_t const stride = state.reduced.innerStride(0);
        parallelFor(
            state.kept.count(), grainFor(state.reduced.count()), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    T const* first = from + state.kept.atElement(i)[0];
                    Number result = start;
                    for (int64_t row = 0; row < state.reduced.rows(); ++row) {
                        T const* x = first + state.reduced.atRow(row)[0];
                        for (int64_t k = 0; k < inner; ++k) {
                            result = Step::of(result, static_cast<Number>(load(x[k * stride])));
                        }
                    }
                    to[i] = store<T>(static_cast<ComputeType<T>>(finish(result)));
                }
            });
    }

    template <typename T, ReduceOperation kOperation>
    static void run(State const& state, KernelCall const& call) {
        using Number = SumType<T>;
        auto const same = [](Number x) { return x; };
        if constexpr (kOperation == ReduceOperation::kPROD) {
            combine<T, Product>(state, call, Number{1}, same);
        } else if constexpr (kOperation == ReduceOperation::kMAX) {
            combine<T, Maximum>(state, call, lowest<Number>(), same);
        } else if constexpr (kOperation == ReduceOperation::kMIN) {
            combine<T, Minimum>(state, call, highest<Number>(), same);
        } else if constexpr (kOperation == ReduceOperation::kAVG) {
            auto const count = static_cast<Number>(state.reduced.count());
            combine<T, Sum>(state, call, Number{0},
                            [=](Number x) { return Quotient::of(x, count); });
        } else {
            combine<T, Sum>(state, call, Number{0}, same);
        }
    }

    template <typename T>
    static target::KernelFunction functionOf(ReduceOperation operation) {
        switch (operation) {
        case ReduceOperation::kPROD: return launchOf<&run<T, ReduceOperation::kPROD>>;
        case ReduceOperation::kMAX: return launchOf<&run<T, ReduceOperation::kMAX>>;
        case ReduceOperation::kMIN: return launchOf<&run<T, ReduceOperation::kMIN>>;
        case ReduceOperation::kAVG: return launchOf<&run<T, ReduceOperation::kAVG>>;
        default: return launchOf<&run<T, ReduceOperation::kSUM>>;
        }
    }
};

} // namespace

void registerKernel_reduce(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Reduce>>("reduce_rows"));
    registry.add(entryOf<ReduceColumns>("reduce_columns"));
    registry.add(entryOf<ReduceReference>("reduce_reference"));
}

} // namespace kiln::targets::cpu
