// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// quantize and dequantize with a scale for each block of elements: see quantized_elements.cuh.
// Macros: KILN_WIDE, KILN_NARROW and KILN_SCALE, the types; KILN_ZERO: 1 if there is a zero point,
// which then is the third operand.
#include "quantized_elements.cuh"

typedef KILN_WIDE Wide;
typedef KILN_NARROW Narrow;
typedef KILN_SCALE Scale;

#if KILN_ZERO
#define KILN_ZEROS , Narrow const* zeros
__device__ inline float zeroOf(Narrow const* zeros, int64_t index) {
    return Elements<Narrow>::at(zeros, index);
}
#else
#define KILN_ZEROS
constexpr Narrow const* zeros = nullptr;
__device__ inline float zeroOf(Narrow const*, int64_t) {
    return 0.0F;
}
#endif

#if KILN_DEQUANTIZES
KILN_KERNEL void dequantize(Narrow const* from, Scale const* scales KILN_ZEROS, Wide* to,
                            QuantizedBlocks blocks) {
    convertBlocks<false>(blocks, from, to, [&](int64_t index) {
        float const scale = toFloat(scales[index]);
        float const zero = zeroOf(zeros, index);
        return [=](float x) { return (x - zero) * scale; };
    });
}
#else
KILN_KERNEL void quantize(Wide const* from, Scale const* scales KILN_ZEROS, Narrow* to,
                          QuantizedBlocks blocks) {
    convertBlocks<true>(blocks, from, to, [&](int64_t index) {
        float const scale = toFloat(scales[index]);
        float const zero = zeroOf(zeros, index);
        return Quantizer<Narrow>(scale, zero);
    });
}
#endif
