// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// convolution of one channel by one filter for each map (depthwise), over one or two spatial axes
// of linear tensors: a vector of neighbouring results at a time, band by band of the padded plane.
// float32, float16 and bfloat16, summed in float32. Threads share the bands.
#include "graph/ops/convolution.h"

#include "target/workload/convolution.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/padded_planes.h"

namespace kiln::targets::cpu {
namespace {

using target::ConvolutionWorkload;
using target::convolutionWorkload;

struct ConvolutionPlanes {
    using Op = graph::Convolution;
    struct State {
        ConvolutionWorkload p;
        PlaneBands bands;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        using Point = target::NodeAt::Point;
        for (Point const point : {Point::kOptimum, Point::kMost}) {
            target::NodeAt const at(node, point);
            if (std::string reason = problemOf(stateOf(op, at.workload())); !reason.empty()) {
                return reason;
            }
        }
        return {};
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        return target::convolutionOperations(op, node) / 1e11 + target::bytesMoved(node) / 4e10;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = stateOf(op, workload);
        if (std::string const problem = problemOf(state); !problem.empty()) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'convolution_planes': {}. Build the plan again.", problem);
        }
        return dispatchFloat(
            workload.type(), "convolution",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    static constexpr int64_t kMostTaps = 1024;

    static State stateOf(Op const& op, Workload const& workload) {
        auto const axisOf = [](ConvolutionWorkload::Axis const& axis) {
            return SlideAxis{axis.input,  axis.output,   axis.size,
                             axis.stride, axis.dilation, axis.before};
        };
        State state;
        state.p = convolutionWorkload(op, workload);
        state.bands = planeBands(axisOf(state.p.height), axisOf(state.p.width));
        return state;
    }

    static std::string problemOf(State const& state) {
        ConvolutionWorkload const& p = state.p;
        if (p.channels != 1 || p.axes > 2) {
            return fmt::format("expected groups of one channel and at most two spatial axes, got "
                               "{} and {}",
                               p.channels, p.axes);
        }
        bool const empty = p.batch * p.maps * p.outputPlane() == 0;
        return empty || (state.bands.rows > 0 && p.patchSize() <= kMostTaps)
                   ? std::string()
                   : fmt::format("expected padded rows of a window of at most {} elements, and at "
                                 "most {} taps",
                                 kBandFloats, kMostTaps);
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        ConvolutionWorkload const& p = state.p;
        PlaneBands const& bands = state.bands;
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const steps = bands.rows * p.width.output * (p.patchSize() + 4) / 8;
        parallelFor(
            p.batch * p.maps * bands.count, grainFor(steps), [&](int64_t begin, int64_t end) {
                float input[kBandFloats + kSlideRoom];
                std::fill_n(input + kBandFloats, kSlideRoom, 0.0F);
                for (int64_t task = begin; task < end; ++task) {
                    int64_t const band = task % bands.count;
                    int64_t const plane = task / bands.count; // of the output
                    int64_t const map = plane % p.maps;
                    int64_t const channel = plane / p.maps * p.groups + map / (p.maps / p.groups);
                    padBand(bands, band, from + channel * p.inputPlane(), 0.0F, input);
                    filter(state, call, band, map, input,
                           to + plane * p.outputPlane() + band * bands.rows * p.width.output);
                }
            });
    }

    template <typename T>
    static void filter(State const& state, KernelCall const& call, int64_t band, int64_t map,
                       float const* input, T* to) {
        ConvolutionWorkload const& p = state.p;
        T const* const kernel =
            static_cast<T const*>(call.inputs[p.kernelAt]) + map * p.patchSize();
        float const start =
            p.biasAt == 0 ? 0.0F : load(static_cast<T const*>(call.inputs[p.biasAt])[map]);
        PlaneWindow const window = state.bands.window(band);
        if constexpr (std::is_same_v<T, float>) {
            isa().windowFilter(window, input, kernel, start, to);
        } else {
            float weights[kMostTaps];
            float output[kBandFloats];
            toFloats(kernel, weights, p.patchSize());
            isa().windowFilter(window, input, weights, start, output);
            fromFloats(output, to, window.rows * window.columns);
        }
    }
};

} // namespace

void registerKernel_convolution_planes(KernelRegistry& registry) {
    registry.add(entryOf<ConvolutionPlanes>("convolution_planes"));
}

} // namespace kiln::targets::cpu
