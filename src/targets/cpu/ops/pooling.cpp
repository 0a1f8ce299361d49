// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling: the largest element, the mean, or a blend of both over windows of the 1 to 3 spatial
// axes of [batch, channels, spatial...]. float32, float16 and bfloat16, computed in float32.
// Padding is never the largest element; the layer chooses whether it counts in the mean. A window
// entirely in the padding has mean 0. Threads share the planes.
#include "graph/ops/pooling.h"

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::PoolingType;

/// One spatial axis.
struct PoolAxis {
    int64_t input = 1;
    int64_t output = 1;
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
        PoolAxis depth; ///< extent 1 if there are fewer than three spatial axes
        PoolAxis height;
        PoolAxis width;
        float ofLargest = 1.0F; ///< weights of the two terms
        float ofMean = 0.0F;
        bool countsPadding = false;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& input = workload.inputs[0];
        Dims const& output = workload.outputs[0];
        auto const axisOf = [&](int32_t i) {
            auto const padding = op.window.padding(i, input.d[2 + i], output.d[2 + i]);
            return PoolAxis{input.d[2 + i],        output.d[2 + i], op.window.size.d[i],
                            op.window.stride.d[i], padding.before,  padding.after};
        };
        state.planes = input.d[0] * input.d[1];
        int32_t const axes = op.window.size.nbDims;
        state.depth = axes > 2 ? axisOf(axes - 3) : PoolAxis{};
        state.height = axes > 1 ? axisOf(axes - 2) : PoolAxis{};
        state.width = axisOf(axes - 1);
        state.ofMean = op.type == PoolingType::kMAX       ? 0.0F
                       : op.type == PoolingType::kAVERAGE ? 1.0F
                                                          : op.blendFactor;
        state.ofLargest = 1.0F - state.ofMean;
        state.countsPadding = !op.averageCountExcludesPadding;
        return dispatchFloat(workload.type(), "pooling", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const rows = state.depth.output * state.height.output; // of one plane
        int64_t const steps =
            state.width.output * state.depth.size * state.height.size * state.width.size;
        int64_t const inputs = state.depth.input * state.height.input * state.width.input;
        parallelFor(state.planes * rows, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                T const* source = from + row / rows * inputs;
                Window at;
                at.z = rangeOf(state.depth, row / state.height.output % state.depth.output);
                at.y = rangeOf(state.height, row % state.height.output);
                for (int64_t i = 0; i < state.width.output; ++i) {
                    at.x = rangeOf(state.width, i);
                    to[row * state.width.output + i] = store<T>(combine(state, source, at));
                }
            }
        });
    }

    /// The positions of one window.
    struct Window {
        PoolRange z;
        PoolRange y;
        PoolRange x;
    };

    template <typename T>
    static float combine(State const& state, T const* plane, Window const& at) {
        float largest = -std::numeric_limits<float>::infinity();
        float sum = 0.0F;
        for (int64_t z = at.z.begin; z < at.z.end; ++z) {
            for (int64_t y = at.y.begin; y < at.y.end; ++y) {
                T const* row = plane + (z * state.height.input + y) * state.width.input;
                for (int64_t x = at.x.begin; x < at.x.end; ++x) {
                    float const value = load(row[x]);
                    largest = value > largest || std::isnan(value) ? value : largest;
                    sum += value;
                }
            }
        }
        int64_t const inside =
            (at.z.end - at.z.begin) * (at.y.end - at.y.begin) * (at.x.end - at.x.begin);
        int64_t const padded = at.z.padded * at.y.padded * at.x.padded;
        int64_t const count = state.countsPadding ? padded : inside;
        float const mean = count == 0 ? 0.0F : sum / static_cast<float>(count);
        // A term with weight 0 must not turn an infinity into NaN.
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

} // namespace kiln::targets::cpu
