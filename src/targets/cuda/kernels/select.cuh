// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// select: `then` where the condition is not 0, else `otherwise`, with broadcasting. Macro:
// KILN_ELEMENT, an unsigned integer as wide as the type. The functions are those of
// elementwise.cuh.
#include "ragged.cuh"

typedef KILN_ELEMENT Element;
typedef BroadcastArguments<3> Arguments;

constexpr int kWidth = widthFor(sizeof(Element));

struct Function {
    __device__ Element operator()(uint8_t condition, Element then, Element otherwise) const {
        return condition != 0 ? then : otherwise;
    }
};

KILN_KERNEL void flat(uint8_t const* condition, Element const* then, Element const* otherwise,
                      Element* to, KILN_IN_PLACE Arguments arguments) {
    computeFlat<kWidth>(arguments.count, to, Function{},
                        flatOperand<kWidth>(condition, arguments.strides[0][0] == 0),
                        flatOperand<kWidth>(then, arguments.strides[1][0] == 0),
                        flatOperand<kWidth>(otherwise, arguments.strides[2][0] == 0));
}

template <typename Index, int kElements>
__device__ inline void compute(uint8_t const* condition, Element const* then,
                               Element const* otherwise, Element* to, Arguments const& arguments) {
    computeBroadcast<Index, kElements>(
        arguments, to, Function{}, rowOperand<0, Index, kElements>(condition),
        rowOperand<1, Index, kElements>(then), rowOperand<2, Index, kElements>(otherwise));
}

KILN_KERNEL void rows(uint8_t const* condition, Element const* then, Element const* otherwise,
                      Element* to, KILN_IN_PLACE Arguments arguments) {
    compute<uint32_t, kWidth>(condition, then, otherwise, to, arguments);
}

template <int kDense>
__device__ inline void ragged(uint8_t const* condition, Element const* then,
                              Element const* otherwise, Element* to, Arguments const& arguments) {
    computeRagged<kWidth>(arguments, to, Function{}, raggedOperand<0, kDense, kWidth>(condition),
                          raggedOperand<1, kDense, kWidth>(then),
                          raggedOperand<2, kDense, kWidth>(otherwise));
}

#define KILN_RAGGED(NAME, DENSE)                                                                   \
    KILN_KERNEL void __launch_bounds__(kThreads, kWordBlocks)                                      \
        NAME(uint8_t const* condition, Element const* then, Element const* otherwise, Element* to, \
             KILN_IN_PLACE Arguments arguments) {                                                  \
        ragged<DENSE>(condition, then, otherwise, to, arguments);                                  \
    }

KILN_RAGGED(ragged_0, 0)
KILN_RAGGED(ragged_1, 1)
KILN_RAGGED(ragged_2, 2)

KILN_KERNEL void elements(uint8_t const* condition, Element const* then, Element const* otherwise,
                          Element* to, KILN_IN_PLACE Arguments arguments) {
    compute<uint32_t, 1>(condition, then, otherwise, to, arguments);
}

KILN_KERNEL void wide(uint8_t const* condition, Element const* then, Element const* otherwise,
                      Element* to, KILN_IN_PLACE Arguments arguments) {
    compute<uint64_t, 1>(condition, then, otherwise, to, arguments);
}
