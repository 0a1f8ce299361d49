// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// fill: alpha + the sum of index[i] * beta[i]. Floating-point types are computed in float64, int32
// and int64 in their own type, with wraparound. Alpha and betas are parameters or operands. Threads
// share the elements.
#include "graph/ops/fill.h"

#include <algorithm>

#include "targets/cpu/copy.h"
#include "targets/cpu/elementwise_functions.h"

namespace kiln::targets::cpu {
namespace {

using graph::Fill;

struct FillReference {
    using Op = Fill;
    struct State {
        Op op;
        Dims dims{};
        int64_t count = 0;
        bool readsAlpha = false;
        bool readsBeta = false;
    };

    static std::string refuse(Op const& op, NodeSpec const&) {
        return op.isRandom() ? "expected evenly spaced values" : std::string();
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {op, workload.outputs[0], volume(workload.outputs[0], "fill"),
                 workload.has(Fill::kAlpha), workload.has(Fill::kBeta)};
        switch (op.type) {
        case DataType::kINT32: return launchOf<&run<int32_t>>;
        case DataType::kINT64: return launchOf<&run<int64_t>>;
        default: break;
        }
        return dispatchFloat(op.type, "fill", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    using Number = std::conditional_t<std::is_integral_v<T>, T, double>;

    /// A parameter converted to the type of the sums; `real` is finite.
    template <typename T>
    static Number<T> constant(Op const& op, double real, int64_t whole) {
        if (op.isWhole) {
            return static_cast<Number<T>>(whole);
        }
        if constexpr (std::is_integral_v<T>) { // doubles represent every integer up to 2^53
            double const most =
                std::min(0x1p53, static_cast<double>(std::numeric_limits<T>::max()));
            return static_cast<T>(std::clamp(real, -most, most));
        } else {
            return real;
        }
    }

    template <typename T>
    static Number<T> element(KernelCall const& call, std::size_t operand, int64_t index) {
        return static_cast<Number<T>>(load(static_cast<T const*>(call.inputs[operand])[index]));
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        Op const& op = state.op;
        auto* to = static_cast<T*>(call.outputs[0]);
        std::array<Number<T>, Dims::MAX_DIMS> steps{};
        for (int32_t i = 0; i < state.dims.nbDims; ++i) {
            steps[static_cast<std::size_t>(i)] = state.readsBeta
                                                     ? element<T>(call, Fill::kBeta, i)
                                                     : constant<T>(op, op.beta, op.wholeBeta);
        }
        Number<T> const start = state.readsAlpha ? element<T>(call, Fill::kAlpha, 0)
                                                 : constant<T>(op, op.alpha, op.wholeAlpha);
        parallelFor(state.count, grainFor(2), [&](int64_t begin, int64_t end) {
            int32_t const last = state.dims.nbDims - 1;
            int64_t const width = last < 0 ? 1 : state.dims.d[last];
            Number<T> const step = last < 0 ? Number<T>{} : steps[static_cast<std::size_t>(last)];
            while (begin < end) {
                auto const outer = outerParts(state.dims, steps, begin / width);
                int64_t const first = begin % width;
                int64_t const count = std::min(end - begin, width - first);
                for (int64_t i = 0; i < count; ++i) {
                    Number<T> sum =
                        Sum::of(start, Product::of(static_cast<Number<T>>(first + i), step));
                    for (int32_t axis = last - 1; axis >= 0; --axis) {
                        sum = Sum::of(sum, outer[static_cast<std::size_t>(axis)]);
                    }
                    to[begin + i] = store<T>(static_cast<ComputeType<T>>(sum));
                }
                begin += count;
            }
        });
    }

    /// What each axis but the last adds to the elements of a row.
    template <typename Number>
    static std::array<Number, Dims::MAX_DIMS> outerParts(
        Dims const& dims, std::array<Number, Dims::MAX_DIMS> const& steps, int64_t row) {
        std::array<Number, Dims::MAX_DIMS> parts{};
        for (int32_t axis = dims.nbDims - 2; axis >= 0; --axis) {
            auto const at = static_cast<std::size_t>(axis);
            parts[at] = Product::of(static_cast<Number>(row % dims.d[axis]), steps[at]);
            row /= dims.d[axis];
        }
        return parts;
    }
};

} // namespace

void registerKernel_fill(KernelRegistry& registry) {
    registry.add(entryOf<FillReference>("fill_reference"));
}

} // namespace kiln::targets::cpu
