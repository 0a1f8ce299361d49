// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Barriers, shuffles, votes, atomics, loads and stores with cache hints.
#pragma once

inline unsigned kilnThread() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline int kilnLane() {
    return static_cast<int>(kilnThread() % 32);
}

inline void __syncthreads() {
    kiln_emulated_state.waitForBlock();
}
inline void __syncwarp(unsigned mask = 0xffffffffU) {
    kiln_emulated_state.waitForWarp(mask);
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
inline void __trap() {
    __builtin_trap();
}

inline int __syncthreads_count(int predicate) {
    kiln_emulated_state.slots[kilnThread()] = predicate != 0;
    __syncthreads();
    int count = 0;
    for (unsigned i = 0; i < blockDim.x * blockDim.y * blockDim.z; ++i) {
        count += static_cast<int>(kiln_emulated_state.slots[i]);
    }
    __syncthreads();
    return count;
}
inline int __syncthreads_or(int predicate) {
    return __syncthreads_count(predicate) != 0;
}
inline int __syncthreads_and(int predicate) {
    return __syncthreads_count(predicate == 0) == 0;
}

/// The value of another lane of the warp.
template <typename T>
T kilnFrom(unsigned mask, T value, int lane) {
    static_assert(sizeof(T) <= sizeof(kiln_emulated_state.slots[0]), "too wide for a shuffle");
    unsigned const thread = kilnThread();
    __builtin_memcpy(&kiln_emulated_state.slots[thread], &value, sizeof(T));
    kiln_emulated_state.exchange(mask, static_cast<unsigned>(lane) % 32);
    T result;
    __builtin_memcpy(&result, &kiln_emulated_state.received[thread], sizeof(T));
    return result;
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    int const segment = kilnLane() / width * width;
    return kilnFrom(mask, value, segment + (lane & (width - 1)));
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    int const lane = kilnLane();
    int const from = lane - static_cast<int>(delta);
    return kilnFrom(mask, value, from < lane / width * width ? lane : from);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    int const lane = kilnLane();
    int const from = lane + static_cast<int>(delta);
    return kilnFrom(mask, value, from >= lane / width * width + width ? lane : from);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
    int const lane = kilnLane();
    int const from = lane ^ lanes;
    return kilnFrom(mask, value, from >= lane / width * width + width ? lane : from);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    unsigned const thread = kilnThread();
    kiln_emulated_state.slots[thread] = predicate != 0;
    kiln_emulated_state.vote(mask);
    return static_cast<unsigned>(kiln_emulated_state.received[thread]);
}
inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate == 0) == 0;
}

// Atomics need no lock: threads run one at a time.
template <typename T, typename V>
T kilnExchange(T* at, V value) {
    T const before = *at;
    *at = static_cast<T>(value);
    return before;
}
template <typename T, typename V>
T atomicExch(T* at, V value) {
    return kilnExchange(at, value);
}
template <typename T, typename V>
T atomicAdd(T* at, V value) {
    return kilnExchange(at, *at + static_cast<T>(value));
}
template <typename T, typename V>
T atomicSub(T* at, V value) {
    return kilnExchange(at, *at - static_cast<T>(value));
}
template <typename T, typename V>
T atomicMax(T* at, V value) {
    return kilnExchange(at, *at < static_cast<T>(value) ? static_cast<T>(value) : *at);
}
template <typename T, typename V>
T atomicMin(T* at, V value) {
    return kilnExchange(at, static_cast<T>(value) < *at ? static_cast<T>(value) : *at);
}
template <typename T, typename V>
T atomicAnd(T* at, V value) {
    return kilnExchange(at, *at & static_cast<T>(value));
}
template <typename T, typename V>
T atomicOr(T* at, V value) {
    return kilnExchange(at, *at | static_cast<T>(value));
}
template <typename T, typename V>
T atomicXor(T* at, V value) {
    return kilnExchange(at, *at ^ static_cast<T>(value));
}
template <typename T, typename U, typename V>
T atomicCAS(T* at, U expected, V value) {
    return kilnExchange(at, *at == static_cast<T>(expected) ? static_cast<T>(value) : *at);
}

#define KILN_LOAD(name)                                                                            \
    template <typename T>                                                                          \
    T name(T const* at) {                                                                          \
        return *at;                                                                                \
    }
#define KILN_STORE(name)                                                                           \
    template <typename T, typename V>                                                              \
    void name(T* at, V value) {                                                                    \
        *at = value;                                                                               \
    }
KILN_LOAD(__ldg)
KILN_LOAD(__ldca)
KILN_LOAD(__ldcg)
KILN_LOAD(__ldcs)
KILN_LOAD(__ldcv)
KILN_LOAD(__ldlu)
KILN_STORE(__stcg)
KILN_STORE(__stcs)
KILN_STORE(__stwb)
KILN_STORE(__stwt)
#undef KILN_LOAD
#undef KILN_STORE
