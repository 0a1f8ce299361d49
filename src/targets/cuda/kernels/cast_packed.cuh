// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cast_packed: converts elements of 4 bits to or from another type, through float. Macros:
// KILN_FROM and KILN_TO, the types.
#include "quantized_vectors.cuh"

struct Unchanged {
    __device__ float number(float x) const { return x; }
    template <int kWidth>
    __device__ Vector<KILN_TO, kWidth> vector(float (&x)[kWidth]) const {
        return Coded<KILN_TO>::encode(x);
    }
};

KILN_KERNEL void cast_packed(KILN_FROM const* from, KILN_TO* to, int64_t count) {
    convertElements<true>(count, from, to, SameSource<Unchanged>{});
}
