// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/narrow_order.h"

#include "base/error.h"

namespace kiln::targets::cuda {
namespace {

unsigned elementAt(ByteView bytes, int64_t at, int64_t bits) {
    if (bits == 8) {
        return static_cast<unsigned>(bytes[static_cast<std::size_t>(at)]);
    }
    auto const both = static_cast<unsigned>(bytes[static_cast<std::size_t>(at / 2)]);
    return both >> at % 2 * 4 & 15U;
}

} // namespace

Bytes packNarrow(NarrowOrder const& order, ByteView weights, bool byTerms) {
    int64_t const elements = order.columns * order.terms;
    auto const wanted = static_cast<std::size_t>((elements * order.bits + 7) / 8);
    if (weights.size() != wanted) {
        fail(ErrorKind::kCorruptData,
             "[plan] narrow weights: expected {} bytes, got {}. Build the plan again.", wanted,
             weights.size());
    }
    Bytes packed(static_cast<std::size_t>(order.bytes()));
    for (int64_t column = 0; column < order.columns; ++column) {
        std::byte* const to = packed.data() + column * order.steps() * 64;
        for (int64_t term = 0; term < order.terms; ++term) {
            int64_t const from =
                byTerms ? term * order.columns + column : column * order.terms + term;
            unsigned const bits = elementAt(weights, from, order.bits);
            to[term * order.bits / 8] |=
                static_cast<std::byte>(bits << (order.bits == 4 ? term % 2 * 4 : 0));
        }
    }
    return packed;
}

} // namespace kiln::targets::cuda
