// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors of elements in registers. Elements of one or two bytes stay packed in the words that they
// were loaded as until they are used; unpacked early, each would take a register.
#pragma once

#include "prelude.cuh"

/// Hides from the compiler what a register holds, so that it computes results from it again
/// instead of holding them, too.
__device__ inline void hide(uint32_t& word) {
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(word));
#endif
}
__device__ inline void hide(float& word) {
#ifdef __CUDA_ARCH__
    asm volatile("" : "+f"(word));
#endif
}
template <typename T>
__device__ inline void hide(T&) {}

template <int kBytes>
struct WordOf {
    typedef uint32_t Type;
};
template <>
struct WordOf<1> {
    typedef uint8_t Type;
};
template <>
struct WordOf<2> {
    typedef uint16_t Type;
};

/// kWidth elements; their address must be aligned to their total size.
template <typename T, int kWidth, bool kPacked = (sizeof(T) < 4)>
struct Held {
    Pack<T, kWidth> pack;

    __device__ void load(T const* from) { pack = *reinterpret_cast<Pack<T, kWidth> const*>(from); }
    __device__ void fill(T value) {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            pack.at[i] = value;
        }
    }
    /// In order of i.
    __device__ void put(int i, T value) { pack.at[i] = value; }
    __device__ T at(int i) const { return pack.at[i]; }
    __device__ void forget() {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            hide(pack.at[i]);
        }
    }
};

template <typename T, int kWidth>
struct Held<T, kWidth, true> {
    static constexpr int kBytes = static_cast<int>(sizeof(T)) * kWidth;
    typedef typename WordOf<kBytes>::Type Word;
    typedef typename WordOf<sizeof(T)>::Type Bits;
    static constexpr int kPerWord = static_cast<int>(sizeof(Word) / sizeof(T));
    static constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    typedef Pack<Word, kWidth / kPerWord> Words;
    Words words;

    __device__ void load(T const* from) { words = *reinterpret_cast<Words const*>(from); }
    __device__ void fill(T value) {
        Bits const bits = *reinterpret_cast<Bits const*>(&value);
        uint32_t word = 0;
#pragma unroll
        for (int i = 0; i < kPerWord; ++i) {
            word = word << (kPerWord == 1 ? 0 : kBits) | bits;
        }
#pragma unroll
        for (int i = 0; i < kWidth / kPerWord; ++i) {
            words.at[i] = static_cast<Word>(word);
        }
    }
    /// In order of i.
    __device__ void put(int i, T value) {
        Bits const bits = *reinterpret_cast<Bits const*>(&value);
        Word& word = words.at[i / kPerWord];
        uint32_t const others = i % kPerWord == 0 ? 0U : word;
        word = static_cast<Word>(others | static_cast<uint32_t>(bits) << i % kPerWord * kBits);
    }
    __device__ T at(int i) const {
        Bits const bits = static_cast<Bits>(words.at[i / kPerWord] >> i % kPerWord * kBits);
        return *reinterpret_cast<T const*>(&bits);
    }
    __device__ void forget() {
#pragma unroll
        for (int i = 0; i < kWidth / kPerWord; ++i) {
            hide(words.at[i]);
        }
    }
};
