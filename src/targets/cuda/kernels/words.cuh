// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fills a dense output whose elements come from anywhere; for kernels that only move data. The
// output is treated as one array of 16-byte words, regardless of its rows. A word that is
// contiguous in the source is assembled from the two aligned words around it, at any alignment.
// Words that span several pieces are collected and moved element by element by all threads of the
// block, so that no thread waits for the few words at the ends of rows. Each thread has kHeldWords
// in flight.
//
// A Map gives the source of each element:
//   Key key(Index position) const;   // loaded before find(); a thread loads all its keys at once
//   Origin find(Index position, Key const& key, Run<T>& run) const;  // of a word's elements
//   T at(Index position) const;
//   T constant() const;              // used if find() returns kConstant
// Index is int32_t if all positions plus one tile fit, else int64_t.
#pragma once

#include "fast_divide.cuh"

constexpr int kThreads = 256;
constexpr int kHeldWords = 4;
constexpr int kTileWords = kThreads * kHeldWords;
/// For __launch_bounds__ of kernels that hold words: with fewer registers, words in flight would be
/// spilled, and the spill would wait for them.
constexpr int kWordBlocks = 4;
constexpr int kAlignedWordBlocks = 6;

typedef Pack<uint32_t, 4> Word;

enum class Origin {
    kMixed,    ///< from several places
    kRun,      ///< contiguous
    kConstant, ///< all are the map's constant
    kNothing,  ///< past the end
};

/// Elements in memory, and the bounds of the operand that contains them.
template <typename T>
struct Run {
    T const* from;
    T const* begin;
    T const* end;
};

/// The key of maps that load nothing.
struct NoKey {};

template <typename T>
constexpr int kPerWord = static_cast<int>(sizeof(Word) / sizeof(T));

/// A word in flight, loaded as two aligned words.
struct HeldWord {
    Word low;
    Word high;
    uint32_t skip; ///< bytes of `low` before the word
};

__device__ inline uint32_t shiftedPair(uint32_t low, uint32_t high, uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __funnelshift_r(low, high, bits);
#else
    return static_cast<uint32_t>((static_cast<uint64_t>(high) << 32 | low) >> bits);
#endif
}

/// The same code for all element sizes. If a register of `high` were never used, it would be reused
/// while its load is in flight, and the reuse would wait for it (float took 1.3 times as long).
__device__ inline Word joined(HeldWord const& held) {
    uint32_t at[8];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        at[i] = held.low.at[i];
        at[i + 4] = held.high.at[i];
    }
    // Shift by 8 bytes, by 4, then within 4: constant indices keep everything in registers.
    bool const byEight = (held.skip & 8U) != 0;
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        at[i] = byEight ? at[i + 2] : at[i];
    }
    bool const byFour = (held.skip & 4U) != 0;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
        at[i] = byFour ? at[i + 1] : at[i];
    }
    Word word;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        word.at[i] = shiftedPair(at[i], at[i + 1], (held.skip & 3U) * 8U);
    }
    return word;
}

/// Starts to load a run. False if an aligned word would exceed the operand.
template <typename T>
__device__ inline bool hold(Run<T> const& run, HeldWord& held) {
    auto const address = reinterpret_cast<uint64_t>(run.from);
    held.skip = static_cast<uint32_t>(address) & 15U;
    auto const* const bytes = reinterpret_cast<uint8_t const*>(inGlobalMemory(run.from));
    auto const* const low = reinterpret_cast<Word const*>(bytes - held.skip);
    held.high = Word{};
    if (held.skip != 0) {
        if (reinterpret_cast<uint64_t>(low) < reinterpret_cast<uint64_t>(run.begin) ||
            reinterpret_cast<uint64_t>(low + 2) > reinterpret_cast<uint64_t>(run.end)) {
            return false;
        }
        held.high = low[1];
    }
    held.low = low[0];
    return true;
}

template <typename T>
__device__ inline Word repeated(T constant) {
    Pack<T, kPerWord<T>> all;
#pragma unroll
    for (int i = 0; i < kPerWord<T>; ++i) {
        all.at[i] = constant;
    }
    return *reinterpret_cast<Word const*>(&all);
}

/// Fills the block's tile of an output of `count` elements. Launch with blocks for ceil(count /
/// kPerWord) + 1 words, because the output may begin inside a word.
template <typename T, typename Index, typename Map>
__device__ inline void fillWords(T* to, Index count, Map const& map) {
    constexpr int kElements = kPerWord<T>;
    __shared__ int mixedCount;
    __shared__ uint16_t mixed[kTileWords];
    int const lead = static_cast<int>((reinterpret_cast<uint64_t>(to) & 15U) / sizeof(T));
    Index const tile = static_cast<Index>(blockIdx.x) * (kTileWords * kElements) - lead;
    if (threadIdx.x == 0) {
        mixedCount = 0;
    }
    __syncthreads();

    typename Map::Key keys[kHeldWords];
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        Index const position = tile + (i * kThreads + static_cast<int>(threadIdx.x)) * kElements;
        keys[i] = map.key(position < 0 ? 0 : position < count ? position : count - 1);
    }
    HeldWord held[kHeldWords];
    Origin origins[kHeldWords];
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        int const slot = i * kThreads + static_cast<int>(threadIdx.x);
        Index const position = tile + slot * kElements;
        Origin origin = Origin::kNothing;
        if (position >= 0 && position + kElements <= count) {
            Run<T> run;
            origin = map.find(position, keys[i], run);
            if (origin == Origin::kRun && !hold(run, held[i])) {
                origin = Origin::kMixed;
            }
        } else if (position < count) {
            origin = Origin::kMixed; // not a whole word
        }
        if (origin == Origin::kMixed) {
            mixed[atomicAdd(&mixedCount, 1)] = static_cast<uint16_t>(slot);
        }
        origins[i] = origin;
    }
    __syncthreads();

    for (int i = static_cast<int>(threadIdx.x); i < mixedCount * kElements; i += kThreads) {
        Index const position = tile + mixed[i / kElements] * kElements + i % kElements;
        if (position >= 0 && position < count) {
            to[position] = map.at(position);
        }
    }
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        Index const position = tile + (i * kThreads + static_cast<int>(threadIdx.x)) * kElements;
        if (origins[i] == Origin::kRun) {
            *reinterpret_cast<Word*>(to + position) = joined(held[i]);
        } else if (origins[i] == Origin::kConstant) {
            *reinterpret_cast<Word*>(to + position) = repeated<T>(map.constant());
        }
    }
}

/// The same for maps whose runs are whole aligned words. Operands that are not aligned are moved
/// element by element. A word takes half of the registers here, so more blocks are resident, which
/// hides the wait for keys. Launch with blocks for ceil(count / kPerWord) words.
template <typename T, typename Index, typename Map>
__device__ inline void fillAlignedWords(T* to, Index count, Map const& map) {
    constexpr int kElements = kPerWord<T>;
    Index const first = static_cast<Index>(blockIdx.x) * (kTileWords * kElements);
    if (!map.aligned() || (reinterpret_cast<uint64_t>(to) & 15U) != 0) {
        Index const rest = count - first;
        int const many = rest < kTileWords * kElements ? static_cast<int>(rest)
                                                       : kTileWords * kElements;
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.x); i < many; i += kThreads) {
            to[first + i] = map.at(first + i);
        }
        return;
    }
    typename Map::Key keys[kHeldWords];
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        Index const position = first + (i * kThreads + static_cast<int>(threadIdx.x)) * kElements;
        keys[i] = map.key(position < count ? position : count - 1);
    }
    Word held[kHeldWords];
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        Index const position = first + (i * kThreads + static_cast<int>(threadIdx.x)) * kElements;
        Run<T> run;
        if (position < count && map.find(position, keys[i], run) == Origin::kRun) {
            held[i] = *reinterpret_cast<Word const*>(inGlobalMemory(run.from));
        } else {
            held[i] = repeated<T>(map.constant());
        }
    }
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        Index const position = first + (i * kThreads + static_cast<int>(threadIdx.x)) * kElements;
        if (position < count) {
            *reinterpret_cast<Word*>(to + position) = held[i];
        }
    }
}

/// The same for maps without long runs: element by element. Launch with count / (kThreads *
/// kHeldWords) blocks, rounded up.
template <typename T, typename Index, typename Map>
__device__ inline void fillElements(T* to, Index count, Map const& map) {
    Index const tile = static_cast<Index>(blockIdx.x) * kTileWords + static_cast<int>(threadIdx.x);
    T held[kHeldWords];
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        Index const position = tile + i * kThreads;
        if (position < count) {
            held[i] = map.at(position);
        }
    }
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        Index const position = tile + i * kThreads;
        if (position < count) {
            to[position] = held[i];
        }
    }
}
