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
    if (blocks.rank == 1 && blocks.loops[0].stride == 0) {
        return {0, blocks.count}; // one scale
    }
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

/// The same for many numbers with one scale: a product with 1 / scale whose error is removed is the
/// rounded quotient (Markstein, IBM Journal of Research and Development 34, 1990). Quotients far
/// beyond the limits become others beyond them.
template <typename T>
struct Quantizer {
    float scale;
    float zero;
    float inverse;
    bool isNormal; ///< no step of the division leaves the range of float

    __device__ Quantizer(float ownScale, float ownZero) : scale(ownScale), zero(ownZero) {
        float const size = fabsf(scale);
        isNormal = Quantized<T>::kWhole && size > 1e-18F && size < 1e18F;
        inverse = 1.0F / scale;
    }

    __device__ float operator()(float x) const {
        if (!isNormal) {
            return quantizedNumber<T>(x, scale, zero);
        }
        constexpr float kFar = 1024.0F;
        constexpr float kRounder = 12582912.0F; // sums with it are whole, ties to even
        float const near = fminf(fmaxf(x * inverse, -kFar), kFar);
        float const both = fmaf(fmaf(-near, scale, x), inverse, near);
        float const inside = fminf(fmaxf(both, -kFar), kFar);
        float const rounded = (inside + kRounder) - kRounder + zero;
        float const limited =
            fminf(fmaxf(rounded, Quantized<T>::kLeast), Quantized<T>::kMost);
        return both == both ? limited : 0.0F;
    }
};

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
    // Unrolled, so that the numbers stay in registers.
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
        if (i < count) {
            to[i] = Elements<T>::at(from, first + i);
        }
    }
}

/// The element of a number; kRounded: integers are within their limits.
template <bool kRounded, typename T>
__device__ inline T storedOf(float number) {
    if constexpr (kRounded && Quantized<T>::kWhole && sizeof(T) == 1) {
        // The low bits of the sum are those of the number.
        return static_cast<T>(__float_as_uint(number + 12582912.0F) & 255U);
    } else {
        return elementOf<T>(number);
    }
}

template <bool kRounded, typename T>
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
#pragma unroll
        for (int i = 0; i < kGroup / 2; ++i) {
            if (2 * i < count) {
                bytes[i] = static_cast<uint8_t>(word >> 8 * i);
            }
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
                    pack.at[i] = storedOf<kRounded, T>(from[part * kWidth + i]);
                }
                reinterpret_cast<Part*>(to + first)[part] = pack;
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            if (i < count) {
                to[first + i] = elementOf<T>(from[i]);
            }
        }
    }
}

constexpr int kGroupsAtOnce = 2; ///< of a thread

/// Calls compute(scale index)(number) for all elements of `from` and stores the results in `to`.
/// kRounded: whole results are within the limits of their type.
template <bool kRounded, typename From, typename To, typename F>
__device__ inline void convertBlocks(QuantizedBlocks const& blocks, From const* from, To* to,
                                     F compute) {
    int64_t const groups = (blocks.count + kGroup - 1) / kGroup;
    int64_t const perBlock = static_cast<int64_t>(blockDim.x) * kGroupsAtOnce;
    for (int64_t begin = blockIdx.x * perBlock + threadIdx.x; begin < groups;
         begin += gridDim.x * perBlock) {
        float numbers[kGroupsAtOnce][kGroup];
        int count[kGroupsAtOnce];
#pragma unroll
        for (int slot = 0; slot < kGroupsAtOnce; ++slot) {
            int64_t const first = (begin + slot * static_cast<int>(blockDim.x)) * kGroup;
            int64_t const rest = blocks.count - first;
            count[slot] = rest < 0 ? 0 : rest < kGroup ? static_cast<int>(rest) : kGroup;
            readGroup(from, first, count[slot], numbers[slot]);
        }
#pragma unroll
        for (int slot = 0; slot < kGroupsAtOnce; ++slot) {
            int64_t const first = (begin + slot * static_cast<int>(blockDim.x)) * kGroup;
            if (count[slot] == 0) {
                continue;
            }
            ScalePlace const place = placeOf(blocks, first);
            if (place.left >= count[slot]) {
                auto const convert = compute(place.scale);
#pragma unroll
                for (int i = 0; i < kGroup; ++i) {
                    numbers[slot][i] = i < count[slot] ? convert(numbers[slot][i]) : 0.0F;
                }
            } else {
#pragma unroll
                for (int i = 0; i < kGroup; ++i) {
                    if (i < count[slot]) {
                        numbers[slot][i] =
                            compute(placeOf(blocks, first + i).scale)(numbers[slot][i]);
                    }
                }
            }
            writeGroup<kRounded>(numbers[slot], to, first, count[slot]);
        }
    }
}
