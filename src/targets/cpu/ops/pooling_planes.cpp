// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling with small windows over one or two spatial axes of linear tensors: all taps of a vector
// of neighbouring results at a time, band by band of the padded plane. float32, float16 and
// bfloat16, computed in float32; the results are those of pooling.cpp. Threads share the bands.
#include "graph/ops/pooling.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/padded_planes.h"
#include "targets/cpu/pooling_workload.h"

namespace kiln::targets::cpu {
namespace {

struct PoolingPlanes {
    using Op = graph::Pooling;
    struct State {
        PoolingState p;
        PlaneBands bands;
        std::vector<float> inverses; ///< of means: by row of a plane, or by element if they are few
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        for (auto const extents : {&target::OperandSpec::opt, &target::OperandSpec::max}) {
            std::string reason =
                problemOf(stateOf(op, node.inputs[0].*extents, node.outputs[0].*extents));
            if (!reason.empty()) {
                return reason;
            }
        }
        return {};
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        State const state = stateOf(op, node.inputs[0].opt, node.outputs[0].opt);
        return target::bytesMoved(node) / 4e10 +
               elementsOf(node) * static_cast<double>(state.p.windowSize()) * 3e-11;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = stateOf(op, workload.inputs[0], workload.outputs[0]);
        if (std::string const problem = problemOf(state); !problem.empty()) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'pooling_planes': {}. Build the plan again.", problem);
        }
        findInverses(state);
        return dispatchFloat(workload.type(), "pooling", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kMostTaps = 64; // pooling_rows reads each element less often
    static constexpr int64_t kMostInverses = 4096;

    static State stateOf(Op const& op, Dims const& input, Dims const& output) {
        auto const axisOf = [](PoolAxis const& axis) {
            return SlideAxis{axis.input, axis.output, axis.size, axis.stride, 1, axis.before};
        };
        State state;
        state.p = poolingOf(op, input, output);
        state.bands = planeBands(axisOf(state.p.height), axisOf(state.p.width));
        return state;
    }

    static std::string problemOf(State const& state) {
        PoolingState const& p = state.p;
        if (p.depth.input != 1 || p.depth.output != 1 || p.depth.size != 1 ||
            p.windowSize() > kMostTaps) {
            return fmt::format("expected at most two spatial axes and windows of at most {} "
                               "elements, got {}",
                               kMostTaps, p.windowSize());
        }
        bool const empty = p.batch * p.channels * p.rows() * p.width.output == 0;
        return empty || state.bands.rows > 0
                   ? std::string()
                   : fmt::format("expected padded rows of a window of at most {} elements",
                                 kBandFloats);
    }

    struct Buffers {
        float input[kBandFloats + kSlideRoom];
        float largest[kBandFloats];
        float means[kBandFloats];
    };

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        PoolingState const& p = state.p;
        PlaneBands const& bands = state.bands;
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const plane = p.rows() * p.width.output;
        int64_t const steps = bands.rows * p.width.output * (p.windowSize() + 4) / 8;
        parallelFor(
            p.batch * p.channels * bands.count, grainFor(steps), [&](int64_t begin, int64_t end) {
                Buffers buffers;
                std::fill_n(buffers.input + kBandFloats, kSlideRoom, 0.0F);
                for (int64_t task = begin; task < end; ++task) {
                    int64_t const band = task % bands.count;
                    int64_t const channel = task / bands.count;
                    poolBand(state, band, from + channel * p.inputs(),
                             to + channel * plane + band * bands.rows * p.width.output, buffers);
                }
            });
    }

    template <typename T>
    static void poolBand(State const& state, int64_t band, T const* plane, T* to,
                         Buffers& buffers) {
        PoolingState const& p = state.p;
        PlaneWindow const window = state.bands.window(band);
        // float32 results are made where they belong.
        auto const resultOf = [&](bool last, float* buffer) {
            if constexpr (std::is_same_v<T, float>) {
                return last ? to : buffer;
            }
            return buffer;
        };
        float* const largest = resultOf(p.needsLargest(), buffers.largest);
        float* const means = resultOf(!p.needsLargest(), buffers.means);
        if (p.needsLargest()) {
            padBand(state.bands, band, plane, kLowest, buffers.input);
            isa().windowMaximum(window, buffers.input, nullptr, kLowest, largest);
        }
        if (p.needsMean()) {
            padBand(state.bands, band, plane, 0.0F, buffers.input);
            isa().windowSum(window, buffers.input, nullptr, 0.0F, means);
            divide(state, band, window, means);
        }
        int64_t const count = window.rows * window.columns;
        if (p.needsLargest() && p.needsMean()) {
            blend(p, largest, means, count);
        }
        if constexpr (!std::is_same_v<T, float>) {
            fromFloats(p.needsLargest() ? largest : means, to, count);
        }
    }

    static bool hasInversePerElement(State const& state) {
        return state.p.rows() * state.p.width.output <= kMostInverses;
    }

    static void findInverses(State& state) {
        PoolingState const& p = state.p;
        for (int64_t row = 0; row < p.rows() && p.needsMean(); ++row) {
            float const inverse = inverseOf(p, rowWindow(p, row));
            if (!hasInversePerElement(state)) {
                state.inverses.push_back(inverse);
                continue;
            }
            for (float const ofColumn : p.inverses) {
                state.inverses.push_back(ofColumn * inverse);
            }
        }
    }

    /// Sums become means.
    static void divide(State const& state, int64_t band, PlaneWindow const& window, float* sums) {
        int64_t const first = band * state.bands.rows;
        if (hasInversePerElement(state)) {
            combineInto(CombineFunction::kProduct, state.inverses.data() + first * window.columns,
                        sums, window.rows * window.columns);
            return;
        }
        float inverses[kBandFloats]; // of a row
        float known = -1.0F;
        for (int64_t row = 0; row < window.rows; ++row) {
            float const inverse = state.inverses[static_cast<std::size_t>(first + row)];
            if (inverse != known) {
                std::copy_n(state.p.inverses.data(), window.columns, inverses);
                scale(inverses, inverse, window.columns);
                known = inverse;
            }
            combineInto(CombineFunction::kProduct, inverses, sums + row * window.columns,
                        window.columns);
        }
    }
};

} // namespace

void registerKernel_pooling_planes(KernelRegistry& registry) {
    registry.add(entryOf<PoolingPlanes>("pooling_planes"));
}

} // namespace kiln::targets::cpu
