// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// activation: a function of each element, computed in float; integers have ReLU and clip. NaN stays
// NaN. Macros: KILN_ELEMENT, the type; KILN_FUNCTION, one of activation_functions.cuh.
#include "flat.cuh"

constexpr bool kShort = sizeof(KILN_ELEMENT) == 2; ///< see functions.cuh

#include "activation_functions.cuh"

struct Arguments {
    int64_t count;
    float alpha;
    float beta;
};

KILN_KERNEL void activation(KILN_ELEMENT const* from, KILN_ELEMENT* to, Arguments arguments) {
    constexpr int kWidth = widthFor(sizeof(KILN_ELEMENT));
    auto const f = [&](KILN_ELEMENT x) {
        return elementOf<KILN_ELEMENT>(
            KILN_FUNCTION::of(numberOf(x), arguments.alpha, arguments.beta));
    };
    computeFlat<kWidth>(arguments.count, to, f, flatOperand<kWidth>(from));
}
