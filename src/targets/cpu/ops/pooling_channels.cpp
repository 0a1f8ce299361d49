// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling of tensors with channels last, dense: all channels of a position are one vector. Threads
// share the rows of the output. See pooling.cpp for the operation.
#include "graph/ops/pooling.h"

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/op_kernel.h"
#include "targets/cpu/pooling_workload.h"

namespace kiln::targets::cpu {
namespace {

struct PoolingChannels {
    using Op = graph::Pooling;
    using State = PoolingState;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const&, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        auto const input = memoryOrderOf(node.inputs[0].type.format);
        auto const output = memoryOrderOf(node.outputs[0].type.format);
        bool const last =
            input && input == output && input->channelsFromEnd == node.inputs[0].opt.nbDims - 1;
        return last ? std::string()
                    : fmt::format("expected dense channels last, got {} and {}",
                                  nameOf(node.inputs[0].type.format),
                                  nameOf(node.outputs[0].type.format));
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        State const state = poolingOf(op, node.inputs[0].opt, node.outputs[0].opt);
        return elementsOf(node) * static_cast<double>(state.windowSize()) * 1.5e-10;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = poolingOf(op, workload.inputs[0], workload.outputs[0]);
        return dispatchFloat(workload.type(), "pooling", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kChannels = 512; // of a block

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const rows = state.rows();
        int64_t const rowLength = state.width.output * state.channels;
        int64_t const steps = rowLength * state.windowSize() / 8;
        parallelFor(state.batch * rows, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                RowWindow const window = rowWindow(state, row % rows);
                T const* image = from + row / rows * state.inputs() * state.channels;
                for (int64_t i = 0; i < state.width.output; ++i) {
                    PoolRange const x = rangeOf(state.width, i);
                    T* const target = to + row * rowLength + i * state.channels;
                    for (int64_t first = 0; first < state.channels; first += kChannels) {
                        poolBlock(state, {window, x, state.inverses[static_cast<std::size_t>(i)]},
                                  image + first, target + first,
                                  std::min(kChannels, state.channels - first));
                    }
                }
            }
        });
    }

    struct Place {
        RowWindow rows;
        PoolRange x;
        float inverseX;
    };

    template <typename T>
    static void poolBlock(State const& state, Place const& place, T const* image, T* to,
                          int64_t count) {
        auto const& [window, x, inverseX] = place;
        float largest[kChannels];
        float sums[kChannels];
        float buffer[kChannels];
        std::fill_n(largest, count, kLowest);
        if (state.needsMean()) {
            std::fill_n(sums, count, 0.0F);
        }
        for (int64_t z = window.z.begin; z < window.z.end; ++z) {
            for (int64_t y = window.y.begin; y < window.y.end; ++y) {
                int64_t const row = (z * state.height.input + y) * state.width.input;
                for (int64_t at = x.begin; at < x.end; ++at) {
                    float const* values =
                        readBlock(image + (row + at) * state.channels, 1, count, buffer);
                    if (state.needsLargest()) {
                        combineInto(CombineFunction::kMaximum, values, largest, count);
                    }
                    if (state.needsMean()) {
                        combineInto(CombineFunction::kSum, values, sums, count);
                    }
                }
            }
        }
        if (state.needsMean()) {
            scale(sums, inverseOf(state, window) * inverseX, count);
            blend(state, largest, sums, count);
        }
        fromFloats(largest, to, count);
    }
};

} // namespace

void registerKernel_pooling_channels(KernelRegistry& registry) {
    registry.add(entryOf<PoolingChannels>("pooling_channels"));
}

} // namespace kiln::targets::cpu
