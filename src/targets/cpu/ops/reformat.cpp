// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reformat: moves elements of 1, 2, 4 or 8 bytes from one memory format to another. A tensor is
// treated as [outer, channels, inner]: linear and vectorized formats differ only in the place of
// the channels. Padding of the last vector is zeroed. Dense formats are transposed block by block.
#include "graph/ops/reformat.h"

#include <cstring>

#include "base/parallel.h"
#include "base/tensor_layout.h"
#include "targets/cpu/layouts.h"
#include "targets/cpu/numeric.h"
#include "targets/cpu/op_kernel.h"
#include "targets/cpu/strided_copy.h"

namespace kiln::targets::cpu {
namespace {

/// Maps element [outer, channel, inner] to its offset.
struct Layout {
    int64_t outerStride = 0;
    int64_t vectorStride = 0; ///< from a vector of channels to the next
    int64_t innerStride = 1;
    int64_t vector = 1;

    int64_t at(int64_t outer, int64_t channel, int64_t inner) const {
        return outer * outerStride + channel / vector * vectorStride + inner * innerStride +
               channel % vector;
    }
};

struct ReformatState {
    int64_t outer = 1;
    int64_t channels = 1;
    int64_t padded = 1; ///< channels of the output, padding included
    int64_t inner = 1;
    Layout from;
    Layout to;
    Nest<1> dense;           ///< for formats without padding
    int64_t channelStep = 1; ///< of the source, for few padded channels
    int64_t elementBytes = 1;
};

Layout layoutOf(FormatTraits const& traits, int64_t channels, int64_t inner) {
    if (traits.channelsFromEnd == 0) {
        return {channels * inner, inner, 1, 1};
    }
    int64_t const padded = (channels + traits.vector - 1) / traits.vector * traits.vector;
    if (traits.channelsLast) {
        return {padded * inner, 0, padded, padded};
    }
    return {padded * inner, inner * traits.vector, traits.vector, traits.vector};
}

/// Between dense formats: the elements of the source in the order of the result.
Nest<1> denseNest(ReformatState const& state) {
    Nest<1> nest;
    nest.add(state.outer, {state.from.outerStride});
    Layout const& from = state.from;
    // With channels last, the stride of a channel is 1 and the vector takes all of them.
    int64_t const channelStride = from.vector == 1 ? from.vectorStride : 1;
    if (state.to.vector == 1) {
        nest.add(state.channels, {channelStride});
        nest.add(state.inner, {from.innerStride});
    } else {
        nest.add(state.inner, {from.innerStride});
        nest.add(state.channels, {channelStride});
    }
    return nest;
}

void reorder(ReformatState const& state, KernelCall const& call) {
    copyStrided(state.dense, state.elementBytes, call.inputs[0], call.outputs[0]);
}

template <typename Word>
void reformat(ReformatState const& state, KernelCall const& call) {
    auto const* from = static_cast<Word const*>(call.inputs[0]);
    auto* to = static_cast<Word*>(call.outputs[0]);
    parallelFor(state.outer * state.inner, grainFor(state.padded), [&](int64_t begin, int64_t end) {
        for (int64_t place = begin; place < end; ++place) {
            int64_t const outer = place / state.inner;
            int64_t const inner = place % state.inner;
            for (int64_t channel = 0; channel < state.padded; ++channel) {
                to[state.to.at(outer, channel, inner)] =
                    channel < state.channels ? from[state.from.at(outer, channel, inner)] : Word{};
            }
        }
    });
}

/// Few 16-bit channels, last and padded: each position is one store.
template <int64_t Padded>
void padChannels(ReformatState const& state, KernelCall const& call) {
    struct Position {
        uint16_t channel[Padded];
    };
    auto const* from = static_cast<uint16_t const*>(call.inputs[0]);
    auto* to = static_cast<Position*>(call.outputs[0]);
    for (int64_t outer = 0; outer < state.outer; ++outer) {
        uint16_t const* const source = from + outer * state.from.outerStride;
        Position* const target = to + outer * state.inner;
        parallelFor(state.inner, grainFor(Padded), [&](int64_t begin, int64_t end) {
            for (int64_t place = begin; place < end; ++place) {
                Position position{};
                uint16_t const* const own = source + place * state.from.innerStride;
                for (int64_t channel = 0; channel < Padded; ++channel) {
                    position.channel[channel] =
                        channel < state.channels ? own[channel * state.channelStep] : uint16_t{0};
                }
                target[place] = position;
            }
        });
    }
}

struct ReformatReference {
    using Op = graph::Reformat;
    using State = ReformatState;
    static constexpr bool kAnyFormat = true;
    static constexpr bool kOwnLayouts = true;

    static std::string refuse(Op const&, NodeSpec const& node) {
        OperandType const& from = node.inputs[0].type;
        OperandType const& to = node.outputs[0].type;
        int32_t const rank = node.inputs[0].opt.nbDims;
        for (OperandType const& type : {from, to}) {
            if (!operandTraits(type, rank).has_value()) {
                return fmt::format("expected a format for {} dimensions of {}, got {}, layout {}",
                                   rank, nameOf(type.type), nameOf(type.format), type.tag);
            }
        }
        return from.type == to.type ? std::string() : "expected operands of one element type";
    }

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        OperandType const types[] = {workload.inputTypes[0], workload.outputTypes[0]};
        Dims const& dims = workload.inputs[0];
        FormatTraits traits[2];
        for (int32_t i = 0; i < 2; ++i) {
            std::optional<FormatTraits> const own = operandTraits(types[i], dims.nbDims);
            if (!own.has_value()) {
                fail(ErrorKind::kInvalidArgument,
                     "[shape] Reformat: expected a format for {} dimensions of {}, got {}, layout "
                     "{}. Build the plan again.",
                     dims.nbDims, nameOf(workload.type()), nameOf(types[i].format), types[i].tag);
            }
            traits[i] = *own;
        }
        // Two formats never disagree on the channel axis: it is the same, or one is linear.
        int32_t const fromEnd = std::max(traits[0].channelsFromEnd, traits[1].channelsFromEnd);
        int32_t const axis = dims.nbDims - fromEnd;
        state = {};
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            (i < axis                   ? state.outer
             : i == axis && fromEnd > 0 ? state.channels
                                        : state.inner) *= dims.d[i];
        }
        state.padded =
            (state.channels + traits[1].vector - 1) / traits[1].vector * traits[1].vector;
        state.from = layoutOf(traits[0], state.channels, state.inner);
        state.to = layoutOf(traits[1], state.channels, state.inner);
        state.elementBytes = bitsOf(workload.type()) / 8;
        if (traits[0].vector == 1 && traits[1].vector == 1 && state.elementBytes > 0) {
            state.dense = denseNest(state);
            return launchOf<&reorder>;
        }
        if (bitsOf(workload.type()) == 16 && traits[1].channelsLast &&
            (traits[0].vector == 1 || traits[0].channelsLast) && state.channels <= state.padded) {
            state.channelStep = traits[0].channelsFromEnd == 0 ? state.inner : 1;
            if (state.padded == 4) {
                return launchOf<&padChannels<4>>;
            }
            if (state.padded == 8) {
                return launchOf<&padChannels<8>>;
            }
        }
        switch (bitsOf(workload.type())) {
        case 8: return launchOf<&reformat<uint8_t>>;
        case 16: return launchOf<&reformat<uint16_t>>;
        case 32: return launchOf<&reformat<uint32_t>>;
        case 64: return launchOf<&reformat<uint64_t>>;
        default: break;
        }
        fail(ErrorKind::kUnsupported,
             "[shape] Reformat: elements of {} have no bytes of their own. Cast them first.",
             nameOf(workload.type()));
    }
};

} // namespace

void registerKernel_reformat(KernelRegistry& registry) {
    registry.add(entryOf<ReformatReference>("reformat_reference"));
}

} // namespace kiln::targets::cpu
