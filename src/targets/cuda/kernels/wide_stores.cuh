// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stores of 16 bytes. The compiler makes several narrow ones of an assignment of a Pack of short
// elements wherever it finds something to put between them, which takes several times as long.
#pragma once

#include "prelude.cuh"

template <typename T, int kCount>
__device__ inline void storeAtOnce(T* to, Pack<T, kCount> const& pack) {
    static_assert(sizeof(pack) == 16);
#ifdef __CUDA_ARCH__
    Pack<uint32_t, 4> words;
    if constexpr (sizeof(T) == 2) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            uint16_t const* const pair = reinterpret_cast<uint16_t const*>(&pack) + 2 * i;
            asm("mov.b32 %0, {%1, %2};" : "=r"(words.at[i]) : "h"(pair[0]), "h"(pair[1]));
        }
    } else {
        words = *reinterpret_cast<Pack<uint32_t, 4> const*>(&pack);
    }
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(to)), "r"(words.at[0]), "r"(words.at[1]),
                   "r"(words.at[2]), "r"(words.at[3])
                 : "memory");
#else
    *reinterpret_cast<Pack<T, kCount>*>(to) = pack;
#endif
}
