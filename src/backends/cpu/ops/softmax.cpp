// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax: exp(x - max) / sum(exp(x - max)) along one axis of a row-major tensor, seen as
// [outer, axis, inner]. float32 and float16, computed in float32. Threads share the lanes.
#include "graph/ops/softmax.h"

#include "backends/cpu/copy.h"

namespace kiln::backends::cpu {
namespace {

struct SoftMaxReference {
    using Op = graph::SoftMax;
    struct State {
        int64_t outer = 1;
        int64_t extent = 1;
        int64_t inner = 1;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static backend::KernelFunction prepare(Op const& op, Problem const& problem, State& state) {
        Dims const& dims = problem.inputs[0];
        int32_t const axis = op.axisFor(dims.nbDims);
        state = {};
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            (i < axis ? state.outer : i == axis ? state.extent : state.inner) *= dims.d[i];
        }
        return dispatchFloat(problem.type(), "softmax", [](auto value) -> backend::KernelFunction {
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
    registry.add(entryOf<SoftMaxReference>("softmax_reference"));
}

} // namespace kiln::backends::cpu
