// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/format_change.h"

#include <algorithm>

namespace kiln::targets::cuda {
namespace {

int64_t roundedUp(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

ChannelLayout layoutOf(FormatTraits const& traits, int64_t channels, int64_t inner) {
    if (traits.channelsFromEnd == 0) {
        return {channels * inner, inner, 1, fastDivide(1)};
    }
    int64_t const padded = roundedUp(channels, traits.vector);
    if (traits.channelsLast) {
        return {padded * inner, padded, padded, fastDivide(padded)};
    }
    return {padded * inner, inner * traits.vector, traits.vector, fastDivide(traits.vector)};
}

} // namespace

FormatChange::FormatChange(FormatTraits const& source, FormatTraits const& target,
                           Dims const& dims) {
    int32_t const fromEnd = std::max(source.channelsFromEnd, target.channelsFromEnd);
    int32_t const axis = dims.nbDims - fromEnd;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        (i < axis ? outer : i == axis && fromEnd > 0 ? channels : inner) *= dims.d[i];
    }
    padded = roundedUp(channels, target.vector);
    from = layoutOf(source, channels, inner);
    to = layoutOf(target, channels, inner);
}

std::optional<Permutation> FormatChange::permutation() const {
    // A vector of all channels or of one is equivalent to no vectors: the addresses are linear.
    auto const cut = [](ChannelLayout const& layout) {
        return layout.vector.divisor > 1 && layout.innerStep == layout.vector.divisor &&
                       layout.vectorStep != layout.vector.divisor
                   ? layout.vector.divisor
                   : 1;
    };
    int64_t const vector = std::max(cut(from), cut(to));
    if (cut(from) > 1 && cut(to) > 1 && cut(from) != cut(to)) {
        return std::nullopt;
    }
    // Channels of whole vectors on both sides; the limits cut off those that only one side has.
    int64_t const all = roundedUp(std::max(padded, channels), vector);
    auto const step = [](ChannelLayout const& layout, int64_t distance) { // of `distance` channels
        return distance / layout.vector.divisor * layout.vectorStep +
               distance % layout.vector.divisor;
    };
    Permutation moved;
    if (padded > channels) {
        moved.readLimit = channels;
    }
    if (all > padded) {
        moved.writeLimit = padded;
    }
    int64_t const counted = padded > channels || all > padded ? 1 : 0;
    moved.add(outer, from.outerStep, to.outerStep);
    moved.add(all / vector, step(from, vector), step(to, vector), counted * vector);
    moved.add(vector, step(from, 1), step(to, 1), counted);
    moved.add(inner, from.innerStep, to.innerStep);
    moved.simplify();
    return moved;
}

} // namespace kiln::targets::cuda
