// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Quantizers of vectors of neighbours, and loops over tensors that convert them. A vector has
// kWidth elements, 16 bytes of the wider type; a thread has kSlots of them under way. Elements
// behind the last whole vector, and all if an operand is not aligned, are converted two by two,
// since two elements of 4 bits share a byte.
#pragma once

#include "number_vectors.cuh"
#include "quantized_elements.cuh"
#include "scale_places.cuh"

constexpr int kSlots = 4;

/// x within [low, high]; NaN stays.
__device__ inline float heldWithin(float x, float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("max.NaN.f32 %0, %0, %1;" : "+f"(x) : "f"(low));
    asm("min.NaN.f32 %0, %0, %1;" : "+f"(x) : "f"(high));
    return x;
#else
    x = x < low ? low : x;
    return x > high ? high : x;
#endif
}

/// quantizedNumber() for many numbers of one scale. Numbers far beyond the limits are replaced by
/// others beyond them, so that nothing overflows.
template <typename T>
struct Quantizer {
    float scale;
    float zero;
    float inverse;
    float low;
    float high;
    bool isNormal; ///< no step of the division leaves the range of float

    Quantizer() = default;
    __device__ Quantizer(float ownScale, float ownZero) : scale(ownScale), zero(ownZero) {
        constexpr float kFar = 1024.0F; // beyond the limits of fp8 and fp4
        bool const whole = Quantized<T>::kWhole;
        isNormal = isNormalScale(scale) && (whole || zero == 0.0F);
        inverse = 1.0F / scale;
        float const least = (whole ? Quantized<T>::kLeast - zero : -kFar) * scale;
        float const most = (whole ? Quantized<T>::kMost - zero : kFar) * scale;
        low = least < most ? least : most;
        high = least < most ? most : least;
    }
    /// x / scale between the limits.
    __device__ float quotient(float x) const {
        float const held = heldWithin(x, low, high);
        float const near = held * inverse;
        return fmaf(fmaf(-near, scale, held), inverse, near);
    }
    /// The zero point of whole numbers.
    __device__ int32_t shift() const { return static_cast<int32_t>(zero); }
    __device__ float number(float x) const { return quantizedNumber<T>(x, scale, zero); }
};

/// The elements of x; quantizers.at(i) is that of element i, isNormal() says that all are.
template <typename T, typename Quantizers, int kWidth>
__device__ inline Vector<T, kWidth> quantizedVector(Quantizers const& quantizers,
                                                    float (&x)[kWidth]) {
    if (!quantizers.isNormal()) {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            x[i] = quantizers.at(i).number(x[i]);
        }
        return Coded<T>::encode(x);
    }
    if constexpr (Quantized<T>::kWhole) {
        // Sums lie near kRounder; of NaN, bits are set that no such sum has.
        constexpr uint32_t kOfNaN = 0x34000000U;
        uint32_t bits[kWidth];
        uint32_t all = 0;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            bits[i] = __float_as_uint(quantizers.at(i).quotient(x[i]) + kRounder);
            all |= bits[i];
        }
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            bits[i] += static_cast<uint32_t>(quantizers.at(i).shift());
        }
        if ((all & kOfNaN) != 0) {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                bits[i] = x[i] == x[i] ? bits[i] : 0U;
            }
        }
        return Coded<T>::ofBits(bits);
    } else {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            x[i] = quantizers.at(i).quotient(x[i]);
        }
        return Coded<T>::encode(x);
    }
}

/// The elements of a vector if the wider type is From or To.
template <typename From, typename To>
constexpr int kWidthOf =
    16 / static_cast<int>(sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To));

template <int kWidth, typename T>
__device__ inline Vector<T, kWidth>& vectorAt(T* from, int64_t vector) {
    return reinterpret_cast<Vector<T, kWidth>*>(from)[vector];
}
template <int kWidth, typename T>
__device__ inline Vector<T, kWidth> loadVector(T const* from, int64_t vector) {
    return reinterpret_cast<Vector<T, kWidth> const*>(from)[vector];
}
template <int kWidth, typename T>
__device__ inline bool isAlignedVector(T const* from) {
    return (reinterpret_cast<uint64_t>(from) & (sizeof(Vector<T, kWidth>) - 1)) == 0;
}

/// Element `first` and, if it exists, the next. `first` is even.
template <typename T, typename Number>
__device__ inline void storeTwo(T* to, int64_t first, int64_t count, Number number) {
    bool const two = first + 1 < count;
    if constexpr (Elements<T>::kPacked) {
        uint32_t const high = two ? Nibble<T>::encode(number(first + 1)) : 0U;
        reinterpret_cast<uint8_t*>(to)[first >> 1] =
            static_cast<uint8_t>(Nibble<T>::encode(number(first)) | high << 4);
    } else {
        to[first] = elementOf<T>(number(first));
        if (two) {
            to[first + 1] = elementOf<T>(number(first + 1));
        }
    }
}

/// to = what a source makes of the elements. source.raw(element) loads what differs from element to
/// element; source.made(raw) has vector() for whole vectors, whose elements share it, and number()
/// for one. kVectors: whole vectors do share one. A warp converts neighbours, since these often
/// have the same scale.
template <bool kVectors, typename From, typename To, typename Source>
__device__ inline void convertElements(int64_t count, From const* from, To* to,
                                       Source const& source) {
    constexpr int kWidth = kWidthOf<From, To>;
    bool const aligned = kVectors && isAlignedVector<kWidth>(from) && isAlignedVector<kWidth>(to);
    int64_t const vectors = aligned ? count / kWidth : 0;
    int64_t const stride = threadCount() * kSlots;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    for (int64_t begin = (threadIndex() - lane) * kSlots + lane; begin < vectors; begin += stride) {
        Vector<From, kWidth> held[kSlots];
        typename Source::Raw raw[kSlots];
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            int64_t const vector = begin + slot * 32 < vectors ? begin + slot * 32 : begin;
            held[slot] = loadVector<kWidth>(from, vector);
        }
        // Behind all loads, because the branches of some sources would hold those up.
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            int64_t const vector = begin + slot * 32 < vectors ? begin + slot * 32 : begin;
            raw[slot] = slot > 0 && source.hasLongRuns() ? raw[0] : source.raw(vector * kWidth);
        }
        auto made = source.made(raw[0]);
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            if (slot > 0 && raw[slot].differsFrom(raw[slot - 1])) {
                made = source.made(raw[slot]);
            }
            float numbers[kWidth];
            Coded<From>::decode(held[slot], numbers);
            Vector<To, kWidth> const result = made.vector(numbers);
            if (begin + slot * 32 < vectors) {
                vectorAt<kWidth>(to, begin + slot * 32) = result;
            }
        }
    }
    int64_t const first = vectors * kWidth;
#pragma unroll 1
    for (int64_t i = first + threadIndex() * 2; i < count; i += threadCount() * 2) {
        storeTwo(to, i, count, [&](int64_t at) {
            return source.made(source.raw(at)).number(Elements<From>::at(from, at));
        });
    }
}

/// Nothing differs from element to element.
template <typename Made>
struct SameSource {
    struct Raw {
        __device__ bool differsFrom(Raw const&) const { return false; }
    };
    Made all;
    __device__ bool hasLongRuns() const { return true; }
    __device__ Raw raw(int64_t) const { return {}; }
    __device__ Made const& made(Raw const&) const { return all; }
};

/// A scale, and a zero point.
struct RawScale {
    float scale;
    float zero;
    __device__ bool differsFrom(RawScale const& other) const {
        return scale != other.scale || zero != other.zero;
    }
};
