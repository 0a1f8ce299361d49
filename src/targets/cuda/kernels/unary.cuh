// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unary: a function of each element; floating-point types are computed in float. Macros:
// KILN_ELEMENT and KILN_RESULT, the types; KILN_FUNCTION, one of unary_functions.cuh.
#include "flat.cuh"

constexpr bool kShort = sizeof(KILN_ELEMENT) == 2; ///< see functions.cuh

#include "unary_functions.cuh"

struct Arguments {
    int64_t count;
};

KILN_KERNEL void unary(KILN_ELEMENT const* from, KILN_RESULT* to, Arguments arguments) {
    constexpr int kWidth = widthFor(sizeof(KILN_ELEMENT));
    auto const f = [](KILN_ELEMENT x) {
        return elementOf<KILN_RESULT>(KILN_FUNCTION::of(numberOf(x)));
    };
    computeFlat<kWidth>(arguments.count, to, f, flatOperand<kWidth>(from));
}
