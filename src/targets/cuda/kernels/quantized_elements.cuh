// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized elements and their scales, in blocks of any extents. A thread converts kGroup
// neighbours; they share one scale if they lie in one block.
#pragma once

#include "numbers.cuh"
#include "threads.cuh"

constexpr int kGroup = 8;

/// One loop over elements; same layout as in quantized_blocks.h.
struct ScaleLoop {
    int64_t extent;
    int64_t block;  ///< elements along the loop with one scale
    int64_t stride; ///< of scales, from block to block
};

struct QuantizedBlocks {
    int64_t count;
    int32_t rank;
    ScaleLoop loops[kMaxRank];
};

struct ScalePlace {
    int64_t scale;
    int64_t left; ///< elements from here on, in the innermost loop, that share it
};

__device__ inline ScalePlace placeOf(QuantizedBlocks const& blocks, int64_t element) {
    ScalePlace place = {0, 0};
    for (int loop = blocks.rank - 1; loop >= 0; --loop) {
        ScaleLoop const& at = blocks.loops[loop];
        int64_t const outer = loop == 0 ? 0 : quotient(element, at.extent);
        int64_t const position = element - outer * at.extent;
        int64_t const block = quotient(position, at.block);
        place.scale += block * at.stride;
        if (loop == blocks.rank - 1) {
            int64_t const end = (block + 1) * at.block;
            place.left = (end < at.extent ? end : at.extent) - position;
        }
        element = outer;
    }
    return place;
}

/// The limits of a quantized type; whole numbers are rounded before the zero point is added.
template <typename T>
struct Quantized {
    static constexpr bool kWhole = false;
    static constexpr float kLeast = 0.0F;
    static constexpr float kMost = 0.0F;
};
template <>
struct Quantized<int8_t> {
    static constexpr bool kWhole = true;
    static constexpr float kLeast = -128.0F;
    static constexpr float kMost = 127.0F;
};
template <>
struct Quantized<uint8_t> {
    static constexpr bool kWhole = true;
    static constexpr float kLeast = 0.0F;
    static constexpr float kMost = 255.0F;
};
template <>
struct Quantized<int4_t> {
    static constexpr bool kWhole = true;
    static constexpr float kLeast = -8.0F;
    static constexpr float kMost = 7.0F;
};

/// The number that an element of T gets.
template <typename T>
__device__ inline float quantizedNumber(float x, float scale, float zero) {
    float const quotient = x / scale;
    if constexpr (Quantized<T>::kWhole) {
        float const rounded = rintf(quotient) + zero;
        float const low = rounded < Quantized<T>::kLeast ? Quantized<T>::kLeast : rounded;
        float const both = low > Quantized<T>::kMost ? Quantized<T>::kMost : low;
        return both == both ? both : 0.0F;
    } else {
        return quotient + zero;
    }
}

/// For chains: numbers of kernels/numbers.cuh.
template <typename T>
__device__ inline auto quantized(float x, float scale, float zero = 0.0F) {
    return numberOf(elementOf<T>(quantizedNumber<T>(x, scale, zero)));
}
template <typename T>
__device__ inline float dequantized(float x, float scale, float zero = 0.0F) {
    return numberOf(elementOf<T>((x - zero) * scale));
}

/// Elements [first, first + count) as numbers, count <= kGroup.
template <typename T>
__device__ inline void readGroup(T const* from, int64_t first, int count,
                                 float (&to)[kGroup]) {
    if constexpr (Elements<T>::kPacked) {
        auto const* bytes = reinterpret_cast<uint8_t const*>(from) + (first >> 1);
        if (count == kGroup && (reinterpret_cast<uint64_t>(bytes) & 3U) == 0) {
            uint32_t const word = *reinterpret_cast<uint32_t const*>(bytes);
#pragma unroll
            for (int i = 0; i < kGroup; ++i) {
                to[i] = Nibble<T>::decode(word >> 4 * i & 15U);
            }
            return;
        }
    } else {
        constexpr int kWidth = sizeof(T) * kGroup > 16 ? 16 / static_cast<int>(sizeof(T)) : kGroup;
        typedef Pack<T, kWidth> Part;
        if (count == kGroup &&
            (reinterpret_cast<uint64_t>(from + first) & (sizeof(Part) - 1)) == 0) {
#pragma unroll
            for (int part = 0; part < kGroup / kWidth; ++part) {
                Part const pack = reinterpret_cast<Part const*>(from + first)[part];
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
                    to[part * kWidth + i] = toFloat(pack.at[i]);
                }
            }
            return;
        }
    }
    for (int i = 0; i < count; ++i) {
        to[i] = Elements<T>::at(from, first + i);
    }
}

template <typename T>
__device__ inline void writeGroup(float const (&from)[kGroup], T* to, int64_t first, int count) {
    if constexpr (Elements<T>::kPacked) {
        auto* bytes = reinterpret_cast<uint8_t*>(to) + (first >> 1);
        uint32_t word = 0;
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            word |= i < count ? Nibble<T>::encode(from[i]) << 4 * i : 0U;
        }
        if (count == kGroup && (reinterpret_cast<uint64_t>(bytes) & 3U) == 0) {
            *reinterpret_cast<uint32_t*>(bytes) = word;
            return;
        }
        for (int i = 0; i < (count + 1) / 2; ++i) {
            bytes[i] = static_cast<uint8_t>(word >> 8 * i);
        }
    } else {
        constexpr int kWidth = sizeof(T) * kGroup > 16 ? 16 / static_cast<int>(sizeof(T)) : kGroup;
        typedef Pack<T, kWidth> Part;
        if (count == kGroup &&
            (reinterpret_cast<uint64_t>(to + first) & (sizeof(Part) - 1)) == 0) {
#pragma unroll
            for (int part = 0; part < kGroup / kWidth; ++part) {
                Part pack;
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
                    pack.at[i] = elementOf<T>(from[part * kWidth + i]);
                }
                reinterpret_cast<Part*>(to + first)[part] = pack;
            }
            return;
        }
        for (int i = 0; i < count; ++i) {
            to[first + i] = elementOf<T>(from[i]);
        }
    }
}

/// Calls compute(number, scale index) for all elements of `from` and stores the results in `to`.
template <typename From, typename To, typename F>
__device__ inline void convertBlocks(QuantizedBlocks const& blocks, From const* from, To* to,
                                     F compute) {
    int64_t const groups = (blocks.count + kGroup - 1) / kGroup;
    for (int64_t group = threadIndex(); group < groups; group += threadCount()) {
        int64_t const first = group * kGroup;
        int64_t const rest = blocks.count - first;
        int const count = rest < kGroup ? static_cast<int>(rest) : kGroup;
        float numbers[kGroup];
        readGroup(from, first, count, numbers);
        ScalePlace place = placeOf(blocks, first);
        if (place.left >= count) {
            auto const convert = compute(place.scale);
#pragma unroll
            for (int i = 0; i < kGroup; ++i) {
                numbers[i] = i < count ? convert(numbers[i]) : 0.0F;
            }
        } else {
            for (int i = 0; i < count; ++i) {
                numbers[i] = compute(placeOf(blocks, first + i).scale)(numbers[i]);
            }
        }
        writeGroup(numbers, to, first, count);
    }
}
