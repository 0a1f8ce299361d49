// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// to[i] = f(operands[i]...) over dense tensors and single elements that are broadcast. Vectors have
// kWidth elements, 16 bytes of the widest type; kVectors of them are in flight per thread, and the
// threads of a block take adjacent ones. The remainder, and all elements if an operand is not
// aligned to its vector, are computed one by one.
#pragma once

#include "held.cuh"

/// Vectors in flight per thread.
constexpr int kVectors = 4;

constexpr int wider(int x, int y) {
    return x > y ? x : y;
}

/// Elements of a vector if the widest type has `bytes` bytes.
constexpr int widthFor(int bytes) {
    return 16 / bytes;
}

template <int kWidth, typename T>
__device__ inline bool beginsVector(T const* data) {
    return kWidth == 1 || (reinterpret_cast<uint64_t>(data) & (sizeof(Pack<T, kWidth>) - 1)) == 0;
}

/// Loads kWidth neighbours: at once if `aligned`.
template <int kWidth, typename T>
__device__ inline Pack<T, kWidth> loadPack(T const* from, bool aligned) {
    if (aligned) {
        return *reinterpret_cast<Pack<T, kWidth> const*>(from);
    }
    Pack<T, kWidth> pack;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        pack.at[i] = from[i];
    }
    return pack;
}

template <int kWidth, typename T>
__device__ inline void storePack(T* to, Pack<T, kWidth> const& pack, bool aligned) {
    if (aligned) {
        *reinterpret_cast<Pack<T, kWidth>*>(to) = pack;
        return;
    }
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        to[i] = pack.at[i];
    }
}

/// An operand of computeFlat(): a dense tensor, or one element for all.
template <typename T, int kWidth>
struct FlatOperand {
    T const* data;
    bool single;
    Held<T, kWidth> held[kVectors];

    __device__ bool beginsVector() const { return single || ::beginsVector<kWidth>(data); }

    __device__ void fetch(int slot, int64_t vector) {
        if (!single) {
            held[slot].load(data + vector * kWidth);
        }
    }
    /// Loads a single element; call once, before the first fetch().
    __device__ void prepare() {
        if (single) {
            T const value = *data;
#pragma unroll
            for (int slot = 0; slot < kVectors; ++slot) {
                held[slot].fill(value);
            }
        }
    }
    __device__ T at(int64_t index) const { return data[single ? 0 : index]; }
};

template <int kWidth, typename T>
__device__ inline FlatOperand<T, kWidth> flatOperand(T const* data, bool single = false) {
    FlatOperand<T, kWidth> operand;
    operand.data = data;
    operand.single = single;
    return operand;
}

template <int kWidth, typename To, typename F, typename... Operands>
__device__ inline void computeFlat(int64_t count, To* to, F f, Operands... operands) {
    bool const aligned = (beginsVector<kWidth>(to) && ... && operands.beginsVector());
    int64_t const vectors = aligned ? count / kWidth : 0;
    int64_t const perBlock = static_cast<int64_t>(blockDim.x) * kVectors;
    int64_t first = blockIdx.x * perBlock + threadIdx.x;
    if (first < vectors) {
        (operands.prepare(), ...);
    }
    for (; first < vectors; first += gridDim.x * perBlock) {
#pragma unroll
        for (int slot = 0; slot < kVectors; ++slot) {
            if (int64_t const vector = first + slot * blockDim.x; vector < vectors) {
                (operands.fetch(slot, vector), ...);
            }
        }
#pragma unroll
        for (int slot = 0; slot < kVectors; ++slot) {
            Pack<To, kWidth> result;
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                result.at[i] = f(operands.held[slot].at(i)...);
            }
            if (int64_t const vector = first + slot * blockDim.x; vector < vectors) {
                reinterpret_cast<Pack<To, kWidth>*>(to)[vector] = result;
            }
        }
    }
#pragma unroll 1
    for (int64_t i = vectors * kWidth + threadIndex(); i < count; i += threadCount()) {
        to[i] = f(operands.at(i)...);
    }
}
