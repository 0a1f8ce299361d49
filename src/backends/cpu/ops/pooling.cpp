// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling: the largest element, the mean, or a blend of both over windows of the two spatial axes
// of [batch, channels, height, width]. float32 and float16, computed in float32. Padding is never
// the largest element; it counts in the mean if the layer says so. A window that lies in the
// padding alone has the mean 0. Threads share the planes.
#include "graph/ops/pooling.h"

#include "backends/cpu/copy.h"

namespace kiln::backends::cpu {
namespace {

using nvinfer1::PoolingType;

/// One spatial axis.
struct PoolAxis {
    int64_t input = 0;
    int64_t output = 0;
    int64_t size = 1;
    int64_t stride = 1;
    int64_t before = 0; ///< padding
    int64_t after = 0;
};

/// The positions of one window: inside the input, and inside the padded input.
struct PoolRange {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t padded = 0; ///< number of positions, padding included
};

PoolRange rangeOf(PoolAxis const& axis, int64_t position) {
    int64_t const begin = position * axis.stride - axis.before;
    int64_t const end = begin + axis.size;
    PoolRange range;
    range.begin = std::max<int64_t>(begin, 0);
    range.end = std::max(range.begin, std::min(end, axis.input));
    range.padded = std::max<int64_t>(0, std::min(end, axis.input + axis.after) - begin);
    return range;
}

struct PoolingReference {
    using Op = graph::Pooling;
    struct State {
        int64_t planes = 0;
        PoolAxis height;
        PoolAxis width;
        float ofLargest = 1.0F; ///< factors of the two terms
        float ofMean = 0.0F;
        bool countsPadding = false;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static backend::KernelFunction prepare(Op const& op, Problem const& problem, State& state) {
        Dims const& input = problem.inputs[0];
        Dims const& output = problem.outputs[0];
        auto const axisOf = [&](int32_t i) {
            auto const padding = op.window.padding(i, input.d[2 + i], output.d[2 + i]);
            return PoolAxis{input.d[2 + i],        output.d[2 + i], op.window.size.d[i],
                            op.window.stride.d[i], padding.before,  padding.after};
        };
        state.planes = input.d[0] * input.d[1];
        state.height = axisOf(0);
        state.width = axisOf(1);
        state.ofMean = op.type == PoolingType::kMAX       ? 0.0F
                       : op.type == PoolingType::kAVERAGE ? 1.0F
                                                          : op.blendFactor;
        state.ofLargest = 1.0F - state.ofMean;
        state.countsPadding = !op.averageCountExcludesPadding;
        return dispatchFloat(problem.type(), "pooling", [](auto value) -> backend::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const rows = state.planes * state.height.output;
        int64_t const steps = state.width.output * state.height.size * state.width.size;
        parallelFor(rows, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                int64_t const plane = row / state.height.output;
                T const* source = from + plane * state.height.input * state.width.input;
                PoolRange const y = rangeOf(state.height, row % state.height.output);
                for (int64_t i = 0; i < state.width.output; ++i) {
                    PoolRange const x = rangeOf(state.width, i);
                    to[row * state.width.output + i] = store<T>(window(state, source, y, x));
                }
            }
        });
    }

    template <typename T>
    static float window(State const& state, T const* plane, PoolRange const& y,
                        PoolRange const& x) {
        float largest = -std::numeric_limits<float>::infinity();
        float sum = 0.0F;
        for (int64_t row = y.begin; row < y.end; ++row) {
            for (int64_t column = x.begin; column < x.end; ++column) {
                float const value = load(plane[row * state.width.input + column]);
                largest = value > largest || std::isnan(value) ? value : largest;
                sum += value;
            }
        }
        int64_t const inside = (y.end - y.begin) * (x.end - x.begin);
        int64_t const count = state.countsPadding ? y.padded * x.padded : inside;
        float const mean = count == 0 ? 0.0F : sum / static_cast<float>(count);
        // A term without weight must not turn an infinity into NaN.
        if (state.ofMean == 0.0F) {
            return largest;
        }
        return state.ofLargest == 0.0F ? mean : state.ofLargest * largest + state.ofMean * mean;
    }
};

} // namespace

void registerKernel_pooling(KernelRegistry& registry) {
    registry.add(entryOf<PoolingReference>("pooling_reference"));
}

} // namespace kiln::backends::cpu
