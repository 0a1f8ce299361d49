// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cast: converts each element, as defined by elementOf() in numbers.cuh. Macros: KILN_FROM and
// KILN_TO, the types. Vectors have 16 bytes on the side of the larger type.
#include "flat.cuh"
#include "numbers.cuh"

struct Arguments {
    int64_t count;
};

KILN_KERNEL void cast(KILN_FROM const* from, KILN_TO* to, Arguments arguments) {
    constexpr int kWidth = widthFor(wider(sizeof(KILN_FROM), sizeof(KILN_TO)));
    auto const f = [](KILN_FROM x) { return elementOf<KILN_TO>(numberOf(x)); };
    computeFlat<kWidth>(arguments.count, to, f, flatOperand<kWidth>(from));
}
