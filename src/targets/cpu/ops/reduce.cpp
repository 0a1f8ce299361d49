// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reduce: combines all elements along some axes. float32, float16 and bfloat16 are accumulated in
// float64; int32 and int64 wrap around. If an input is NaN, the result is NaN. The output is
// written in order. For each output element, one nest of loops gives the start in the input and
// another the elements to combine. Threads share the output elements.
#include "graph/ops/reduce.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/elementwise_functions.h"

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

struct ReduceReference {
    using Op = graph::Reduce;
    struct State {
        Nest<1> kept;
        Nest<1> reduced;
    };

    static double estimate(Op const&, NodeSpec const& node) {
        double elements = 1.0;
        for (int32_t i = 0; i < node.inputs[0].opt.nbDims; ++i) {
            elements *= static_cast<double>(node.inputs[0].opt.d[i]);
        }
        return elements * 2e-9;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {};
        Dims const& input = workload.inputs[0];
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
    registry.add(entryOf<ReduceReference>("reduce_reference"));
}

} // namespace kiln::targets::cpu
