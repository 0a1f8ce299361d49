// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// phase_kernel: the kernel of a transposed convolution in the order of a convolution that computes
// all phases. Usually of constants, while the engine is built. Any type of whole bytes; threads
// share the taps.
#include "graph/ops/phase_kernel.h"

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct PhaseKernelReference {
    using Op = graph::PhaseKernel;
    struct State {
        int64_t groups = 1;
        int64_t phases = 1;
        int64_t maps = 0;     ///< of a group
        int64_t channels = 0; ///< of a group
        int32_t axes = 0;
        Dims size{};
        Dims taps{};
        Dims stride{};
        Dims dilation{};
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& kernel = workload.inputs[0];
        Dims const& output = workload.outputs[0];
        state.groups = op.groups;
        state.phases = op.phases();
        state.maps = kernel.d[1];
        state.channels = output.d[1];
        state.axes = op.stride.nbDims;
        state.stride = op.stride;
        state.dilation = op.dilation;
        std::copy_n(kernel.d + 2, state.axes, state.size.d);
        std::copy_n(output.d + 2, state.axes, state.taps.d);
        return dispatchWidth(
            workload.type(), "phase kernel",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    /// The element of the kernel for a phase and a tap, counted over all axes; -1 if there is none.
    static int64_t positionOf(State const& state, int64_t phase, int64_t tap) {
        int64_t position = 0;
        int64_t step = 1;
        for (int32_t axis = state.axes - 1; axis >= 0; --axis) {
            int64_t const stride = state.stride.d[axis];
            int64_t const taps = state.taps.d[axis];
            int64_t const spread = (taps - 1 - tap % taps) * stride + phase % stride;
            int64_t const at = spread / state.dilation.d[axis];
            if (spread % state.dilation.d[axis] != 0 || at >= state.size.d[axis]) {
                return -1;
            }
            position += at * step;
            step *= state.size.d[axis];
            phase /= stride;
            tap /= taps;
        }
        return position;
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const size = volume(state.size, state.axes);
        int64_t const taps = volume(state.taps, state.axes);
        int64_t const rows = state.groups * state.phases * state.maps;
        parallelFor(rows, grainFor(state.channels * taps * 8), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                int64_t const map = row % state.maps;
                int64_t const phase = row / state.maps % state.phases;
                int64_t const group = row / state.maps / state.phases;
                T* const target = to + row * state.channels * taps;
                for (int64_t tap = 0; tap < taps; ++tap) {
                    int64_t const position = positionOf(state, phase, tap);
                    T const* source = from + (group * state.channels * state.maps + map) * size;
                    for (int64_t c = 0; c < state.channels; ++c) {
                        target[c * taps + tap] = position < 0 ? T{} : source[position];
                        source += state.maps * size;
                    }
                }
            }
        });
    }

    static int64_t volume(Dims const& dims, int32_t axes) {
        int64_t count = 1;
        for (int32_t axis = 0; axis < axes; ++axis) {
            count *= dims.d[axis];
        }
        return count;
    }
};

} // namespace

void registerKernel_phase_kernel(KernelRegistry& registry) {
    registry.add(entryOf<PhaseKernelReference>("phase_kernel_reference"));
}

} // namespace kiln::targets::cpu
