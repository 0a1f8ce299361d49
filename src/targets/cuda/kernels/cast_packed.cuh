// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cast_packed: converts elements of 4 bits to or from another type, through float. Macros:
// KILN_FROM and KILN_TO, the types.
#include "quantized_elements.cuh"

KILN_KERNEL void cast_packed(KILN_FROM const* from, KILN_TO* to, QuantizedBlocks blocks) {
    convertBlocks<false>(blocks, from, to, [](int64_t) { return [](float x) { return x; }; });
}
