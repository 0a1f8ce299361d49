// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/bfloat16.h"
#include "base/parallel.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/numeric.h"

namespace kiln::targets::cpu {

/// Number of elements that the fast elementwise kernels process per block: float32 copies of three
/// operands then fit the L1 cache.
constexpr int64_t kBlock = 1024;

/// Consecutive elements as floats.
template <typename T>
void toFloats(T const* from, float* to, int64_t count) noexcept {
    if constexpr (std::is_same_v<T, float>) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        isa().bfloat16ToFloat(from, to, count);
    } else {
        isa().halfToFloat(from, to, count);
    }
}

template <typename T>
void fromFloats(float const* from, T* to, int64_t count) noexcept {
    if constexpr (std::is_same_v<T, float>) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        isa().floatToBfloat16(from, to, count);
    } else {
        isa().floatToHalf(from, to, count);
    }
}

/// At most kBlock elements as floats. Returns `from` for contiguous floats, else fills `buffer`.
template <typename T>
float const* readBlock(T const* from, int64_t stride, int64_t count, float* buffer) noexcept {
    if (stride == 1) {
        if constexpr (std::is_same_v<T, float>) {
            return from;
        }
        toFloats(from, buffer, count);
    } else if (stride == 0) {
        std::fill_n(buffer, count, static_cast<float>(load(*from)));
    } else {
        for (int64_t i = 0; i < count; ++i) {
            buffer[i] = static_cast<float>(load(from[i * stride]));
        }
    }
    return buffer;
}

/// Calls body(first, count) for blocks that cover [begin, end).
template <typename Body>
void forBlocks(int64_t begin, int64_t end, Body&& body) {
    for (int64_t first = begin; first < end; first += kBlock) {
        body(first, std::min(kBlock, end - first));
    }
}

/// Calls body(outer, first, count) for blocks of at most `columns` neighbouring elements of a
/// tensor [outer, ..., inner], in parallel. `steps` are those of one block, as grainFor() takes
/// them.
template <typename Body>
void forColumns(int64_t outer, int64_t inner, int64_t columns, int64_t steps, Body&& body) {
    int64_t const blocks = (inner + columns - 1) / columns;
    parallelFor(outer * blocks, grainFor(steps), [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
            int64_t const first = task % blocks * columns;
            body(task / blocks, first, std::min(columns, inner - first));
        }
    });
}

} // namespace kiln::targets::cpu
