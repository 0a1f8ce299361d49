// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// interleave: the phases of a transposed convolution side by side. Moves elements of any type of
// whole bytes, linear or channels last; threads share the rows of the output.
#include "graph/ops/interleave.h"

#include <cstring>

#include "target/workload/interleave.h"
#include "target/workload/map_formats.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using Axis = target::InterleaveWorkload::Axis;

struct InterleaveReference {
    using Op = graph::Interleave;
    struct State {
        target::InterleaveWorkload p;
        int64_t bytes = 1; ///< of one element
    };
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const&, NodeSpec const& node) {
        std::string const reason = refuseSubByte(node, 0);
        return reason.empty() ? target::refuseMapFormats(node.inputs[0].type, node.outputs[0].type,
                                                         node.inputs[0].opt.nbDims)
                              : reason;
    }
    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 5e-10; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.p = target::interleaveWorkload(op, workload);
        state.bytes = elementBytes(workload.type());
        if (workload.outputTypes[0].format != TensorFormat::kLINEAR) {
            return launchOf<&runLast>;
        }
        return dispatchWidth(
            workload.type(), "interleave",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    /// Where an output position of an axis comes from.
    struct Place {
        int64_t at;
        int64_t phase;

        Place(Axis const& axis, int64_t position)
            : at((position + axis.before) / axis.stride),
              phase((position + axis.before) % axis.stride) {}
    };

    /// A row of the output; short rows would take longer to divide for than to write.
    struct Row {
        int64_t group; ///< of all images
        int64_t map;
        int64_t z;
        int64_t y;

        Row(target::InterleaveWorkload const& p, int64_t row)
            : group(row / p.height.output / p.depth.output / p.maps),
              map(row / p.height.output / p.depth.output % p.maps),
              z(row / p.height.output % p.depth.output), y(row % p.height.output) {}

        void advance(target::InterleaveWorkload const& p) noexcept {
            if (++y < p.height.output) {
                return;
            }
            y = 0;
            if (++z < p.depth.output) {
                return;
            }
            z = 0;
            if (++map == p.maps) {
                map = 0;
                ++group;
            }
        }
    };

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        target::InterleaveWorkload const& p = state.p;
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const plane = p.depth.input * p.height.input * p.width.input;
        int64_t const rows = p.batch * p.groups * p.maps * p.depth.output * p.height.output;
        parallelFor(rows, grainFor(p.width.output), [&](int64_t begin, int64_t end) {
            Row at(p, begin);
            for (int64_t row = begin; row < end; ++row, at.advance(p)) {
                Place const z(p.depth, at.z);
                Place const y(p.height, at.y);
                int64_t const phase = (z.phase * p.height.stride + y.phase) * p.width.stride;
                T const* const source = from +
                                        ((at.group * p.phases + phase) * p.maps + at.map) * plane +
                                        (z.at * p.height.input + y.at) * p.width.input;
                putRow(p.width, source, p.maps * plane, to + row * p.width.output);
            }
        });
    }

    /// `step`: elements from the row of one phase to that of the next.
    template <typename T>
    static void putRow(Axis const& width, T const* from, int64_t step, T* to) noexcept {
        if (width.stride == 2 && width.before == 0) { // the usual case, in vectors
            T const* const other = from + step;
            for (int64_t i = 0; i < width.output / 2; ++i) {
                to[2 * i] = from[i];
                to[2 * i + 1] = other[i];
            }
            if (width.output % 2 != 0) {
                to[width.output - 1] = from[width.output / 2];
            }
            return;
        }
        for (int64_t phase = 0; phase < width.stride; ++phase) {
            // The first output of this phase, and where it comes from.
            int64_t const skipped = (width.before - phase + width.stride - 1) / width.stride;
            int64_t const first = phase + std::max<int64_t>(skipped, 0) * width.stride;
            T const* source = from + phase * step + first / width.stride;
            for (int64_t x = first - width.before; x < width.output; x += width.stride) {
                to[x] = *source++;
            }
        }
    }

    /// Channels last: the maps of a group are neighbours.
    static void runLast(State const& state, KernelCall const& call) {
        target::InterleaveWorkload const& p = state.p;
        auto const* from = static_cast<std::byte const*>(call.inputs[0]);
        auto* to = static_cast<std::byte*>(call.outputs[0]);
        int64_t const maps = p.maps * state.bytes;
        int64_t const rows = p.batch * p.depth.output * p.height.output;
        parallelFor(
            rows, grainFor(p.width.output * p.groups * p.maps), [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                    Place const y(p.height, row % p.height.output);
                    Place const z(p.depth, row / p.height.output % p.depth.output);
                    int64_t const image = row / p.height.output / p.depth.output;
                    int64_t const line =
                        ((image * p.depth.input + z.at) * p.height.input + y.at) * p.width.input;
                    int64_t const phase = (z.phase * p.height.stride + y.phase) * p.width.stride;
                    for (int64_t i = 0; i < p.width.output; ++i) {
                        Place const x(p.width, i);
                        int64_t const source =
                            (line + x.at) * p.groups * p.phases + phase + x.phase;
                        int64_t const target = (row * p.width.output + i) * p.groups;
                        for (int64_t group = 0; group < p.groups; ++group) {
                            std::memcpy(to + (target + group) * maps,
                                        from + (source + group * p.phases) * maps,
                                        static_cast<std::size_t>(maps));
                        }
                    }
                }
            });
    }
};

} // namespace

void registerKernel_interleave(KernelRegistry& registry) {
    registry.add(entryOf<InterleaveReference>("interleave_reference"));
}

} // namespace kiln::targets::cpu
