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
#include "targets/cpu/reduce_workload.h"

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

/// One row in memory for each output element.
struct ReduceRows {
    using Op = graph::Reduce;
    using State = ReduceState;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        return refuseStates(op, node, [](State const& state) {
            return state.inner == 1 ? std::string() : "expected the innermost axes in memory";
        });
    }

    static double estimate(Op const&, NodeSpec const& node) {
        return target::bytesMoved(node) / 2e10 + elementsOf(node) * 1e-8;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = checkedState(op, workload);
        if (state.inner != 1 && state.extent != 1) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'reduce_rows': expected the innermost axes in memory of {}. Build "
                 "the plan again.",
                 toText(workload.inputs[0]));
        }
        state.outer *= state.inner; // not 1 only if nothing is combined
        return dispatchFloat(workload.type(), "reduce", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        Fold const fold = isa().folds[static_cast<std::size_t>(state.fold)];
        parallelFor(state.outer, grainFor(state.extent / 2), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                T const* const x = from + row * state.extent;
                to[row] = store<T>(state.finish(total(state, fold, x)));
            }
        });
    }

    template <typename T>
    static double total(State const& state, Fold fold, T const* x) {
        if constexpr (std::is_same_v<T, float>) {
            return fold(x, state.extent);
        }
        double result = startOf(state.fold);
        forBlocks(0, state.extent, [&](int64_t first, int64_t count) {
            float buffer[kBlock];
            result =
                combined(state.fold, result, fold(readBlock(x + first, 1, count, buffer), count));
        });
        return result;
    }
};

/// Rows of the input are combined element by element.
struct ReduceColumns {
    using Op = graph::Reduce;
    using State = ReduceState;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string reason = refuseStates(op, node, [](State const&) { return std::string(); });
            !reason.empty()) {
            return reason;
        }
        int64_t const inner =
            stateOf(op, node.inputs[0].opt, commonOrder(node).value()).value().inner;
        return inner >= kFewestColumns
                   ? std::string()
                   : fmt::format("expected {} or more elements inside of the axes, got {}",
                                 kFewestColumns, inner);
    }

    static double estimate(Op const&, NodeSpec const& node) {
        return target::bytesMoved(node) / 1e10;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = checkedState(op, workload);
        return dispatchFloat(workload.type(), "reduce", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kFewestColumns = 8;
    static constexpr int64_t kColumns = 512; // of a block

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const steps = state.extent * std::min(state.inner, kColumns) / 8;
        forColumns(state.outer, state.inner, kColumns, steps,
                   [&](int64_t outer, int64_t first, int64_t count) {
                       combine(state, from + outer * state.extent * state.inner + first,
                               to + outer * state.inner + first, count);
                   });
    }

    template <typename T>
    static void combine(State const& state, T const* from, T* to, int64_t count) {
        auto const accumulate = isa().accumulates[static_cast<std::size_t>(state.fold)];
        double totals[kColumns];
        float buffer[kColumns];
        std::fill_n(totals, count, startOf(state.fold));
        for (int64_t i = 0; i < state.extent; ++i) {
            accumulate(totals, readBlock(from + i * state.inner, 1, count, buffer), count);
        }
        for (int64_t i = 0; i < count; ++i) {
            buffer[i] = state.finish(totals[i]);
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
    registry.add(entryOf<ReduceRows>("reduce_rows"));
    registry.add(entryOf<ReduceColumns>("reduce_columns"));
    registry.add(entryOf<ReduceReference>("reduce_reference"));
}

} // namespace kiln::targets::cpu
