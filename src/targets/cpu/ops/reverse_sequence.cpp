// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reverse-sequence: copies rows of the axes behind batch and sequence axis, with the order of the
// first lengths[b] rows reversed. If there are no such axes, rows are single elements, and threads
// copy lanes of the last axis. Any type of whole bytes; lengths of int32 and int64.
#include "graph/ops/reverse_sequence.h"

#include <algorithm>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct ReverseSequenceReference {
    using Op = graph::ReverseSequence;
    struct State {
        Op::Shape shape;
        DataType lengthType = DataType::kINT32;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {op.shapeFor(workload.inputs[0]), workload.inputTypes[1].type};
        return dispatchWidth(workload.type(), "reverse-sequence", [](auto unit) {
            return target::KernelFunction{launchOf<&run<decltype(unit)>>};
        });
    }

private:
    static int64_t lengthAt(State const& state, KernelCall const& call, int64_t batch) {
        int64_t const most = state.shape.sequenceFirst ? state.shape.first : state.shape.second;
        return std::clamp(integerAt(call.inputs[1], state.lengthType, batch), int64_t{0}, most);
    }

    static int64_t sourceOf(int64_t position, int64_t length) {
        return position < length ? length - 1 - position : position;
    }

    template <typename Unit>
    static void run(State const& state, KernelCall const& call) {
        Op::Shape const& shape = state.shape;
        int64_t const lane = shape.second * shape.inner;
        if (lane == 0) {
            return;
        }
        // A lane: all of the second axis for one coordinate of the others.
        parallelFor(shape.outer * shape.first * shape.middle, grainFor(1 + lane / 4),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                            shape.sequenceFirst ? copyBatches<Unit>(state, call, i)
                                                : copySequence<Unit>(state, call, i);
                        }
                    });
    }

    /// The sequence axis is the second one: a lane has one length.
    template <typename Unit>
    static void copySequence(State const& state, KernelCall const& call, int64_t lane) {
        Op::Shape const& shape = state.shape;
        int64_t const offset = lane * shape.second * shape.inner;
        auto const* const from = static_cast<Unit const*>(call.inputs[0]) + offset;
        auto* const to = static_cast<Unit*>(call.outputs[0]) + offset;
        int64_t const length = lengthAt(state, call, lane / shape.middle % shape.first);
        if (shape.inner == 1) {
            std::reverse_copy(from, from + length, to);
        } else {
            for (int64_t i = 0; i < length; ++i) {
                std::copy_n(from + (length - 1 - i) * shape.inner, shape.inner,
                            to + i * shape.inner);
            }
        }
        std::copy(from + length * shape.inner, from + shape.second * shape.inner,
                  to + length * shape.inner);
    }

    /// The sequence axis is the first one: each row of a lane has a length.
    template <typename Unit>
    static void copyBatches(State const& state, KernelCall const& call, int64_t lane) {
        Op::Shape const& shape = state.shape;
        auto const* const from = static_cast<Unit const*>(call.inputs[0]);
        auto* const to = static_cast<Unit*>(call.outputs[0]);
        int64_t const position = lane / shape.middle % shape.first;
        for (int64_t batch = 0; batch < shape.second; ++batch) {
            int64_t const at = (lane * shape.second + batch) * shape.inner;
            int64_t const source = sourceOf(position, lengthAt(state, call, batch));
            Unit const* const row = from + at + (source - position) * shape.step();
            if (shape.inner == 1) {
                to[at] = *row;
            } else {
                std::copy_n(row, shape.inner, to + at);
            }
        }
    }
};

} // namespace

void registerKernel_reverse_sequence(KernelRegistry& registry) {
    registry.add(entryOf<ReverseSequenceReference>("reverse_sequence_reference"));
}

} // namespace kiln::targets::cpu
