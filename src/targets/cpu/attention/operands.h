// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of the operands of an attention as floats.
#pragma once

#include <limits>
#include <type_traits>

#include "target/kernel.h"
#include "target/workload/attention.h"
#include "targets/cpu/block.h"

namespace kiln::targets::cpu {

using target::AttentionWorkload;

/// Keys of a block. The copies in float32 of a block have room for kMostCopies floats.
constexpr int64_t kMostKeys = 128;
constexpr int64_t kMostCopies = 2 * kMostKeys * kTileColumns;

/// Large heads take fewer keys at once, so that their copies have room.
inline int64_t keysOfBlock(AttentionWorkload const& at) noexcept {
    int64_t const largest = std::max(at.size, at.valueSize);
    return std::min(kMostKeys, kMostCopies / largest);
}

template <typename T>
T const* operandAt(target::KernelCall const& call, std::size_t operand,
                   AttentionWorkload::Strides const& strides, int64_t batch, int64_t head,
                   int64_t index) noexcept {
    return static_cast<T const*>(call.inputs[operand]) + strides.at(batch, head, index);
}

/// Rows of a matrix of floats: keys or values, by length.
struct FloatRows {
    float const* data;
    int64_t rowStep;
    int64_t channelStep; ///< one of the two is 1
};

/// Consecutive or strided elements as floats.
template <typename T>
void readInto(T const* from, int64_t stride, int64_t count, float* to) noexcept {
    if (stride == 1) {
        toFloats(from, to, count);
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        to[i] = load(from[i * stride]);
    }
}

/// `count` rows of keys or values, where they are if they are floats, else in `buffer`, which has
/// room for count * size floats.
template <typename T>
FloatRows readRows(T const* from, AttentionWorkload::Strides const& strides, int64_t count,
                   int64_t size, float* buffer) noexcept {
    if constexpr (std::is_same_v<T, float>) {
        return {from, strides.length, strides.channel};
    }
    if (strides.length == 1) {
        for (int64_t channel = 0; channel < size; ++channel) {
            toFloats(from + channel * strides.channel, buffer + channel * count, count);
        }
        return {buffer, 1, count};
    }
    for (int64_t row = 0; row < count; ++row) {
        readInto(from + row * strides.length, strides.channel, size, buffer + row * size);
    }
    return {buffer, size, 1};
}

/// What is added to the scores of one query and `count` keys: the mask without the causal rule.
template <typename T>
void readMask(AttentionWorkload const& at, void const* mask, int64_t place, int64_t count,
              float* to) noexcept {
    int64_t const step = at.maskStrides.key;
    if (at.mask == AttentionWorkload::Mask::kAdded) {
        readInto(static_cast<T const*>(mask) + place, step, count, to);
        return;
    }
    auto const* marks = static_cast<uint8_t const*>(mask) + place;
    bool const kept = at.mask == AttentionWorkload::Mask::kKept;
    for (int64_t i = 0; i < count; ++i) {
        to[i] = (marks[i * step] != 0) == kept ? 0.0F : -std::numeric_limits<float>::infinity();
    }
}

} // namespace kiln::targets::cpu
