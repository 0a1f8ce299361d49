// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/kernel_order.h"

#include <cstring>

#include "base/error.h"

namespace kiln::targets::cuda {
namespace {

template <typename T>
void reorder(std::byte const* from, std::byte* to, int64_t maps, int64_t channels, int64_t plane,
             int64_t padded) {
    auto const* source = reinterpret_cast<T const*>(from);
    auto* target = reinterpret_cast<T*>(to);
    for (int64_t map = 0; map < maps; ++map) {
        for (int64_t channel = 0; channel < channels; ++channel) {
            for (int64_t i = 0; i < plane; ++i) {
                target[(map * plane + i) * padded + channel] = *source++;
            }
        }
    }
}

} // namespace

Bytes kernelWithChannelsLast(ByteView weights, Dims const& dims, std::size_t elementBytes,
                             int64_t channels) {
    int64_t const elements = volume(dims, "kernel weights");
    bool const known = elementBytes == 2 || elementBytes == 4;
    if (!known || dims.nbDims < 3 || dims.d[1] > channels ||
        weights.size() != static_cast<std::size_t>(elements) * elementBytes) {
        fail(
            ErrorKind::kCorruptData,
            "[plan] kernel weights: expected {} elements of {} bytes, got {} bytes. Build the plan "
            "again.",
            elements, elementBytes, weights.size());
    }
    int64_t const maps = dims.d[0];
    int64_t const own = dims.d[1];
    int64_t const plane = maps == 0 || own == 0 ? 0 : elements / maps / own;
    Bytes result(static_cast<std::size_t>(maps * plane * channels) * elementBytes);
    auto const move = elementBytes == 2 ? &reorder<uint16_t> : &reorder<uint32_t>;
    move(weights.data(), result.data(), maps, own, plane, channels);
    return result;
}

} // namespace kiln::targets::cuda
