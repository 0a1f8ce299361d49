// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// elementwise: a function of two tensors, with broadcasting. Macros: KILN_ELEMENT and KILN_RESULT,
// the types; KILN_FUNCTION, one of elementwise_functions.cuh. flat: each input is dense or one
// element. rows: the row length is a multiple of a vector. ragged_i: other rows longer than a
// vector, with input i dense. elements: all other rows. wide: any result.
#include "elementwise_functions.cuh"
#include "ragged.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_RESULT Result;
typedef BroadcastArguments<2> Arguments;

/// x ^ y
typedef PowerOf<sizeof(Element) == 2> Power;

constexpr int kWidth = widthFor(sizeof(Element));

struct Function {
    __device__ Result operator()(Element x, Element y) const {
        return elementOf<Result>(KILN_FUNCTION::of(numberOf(x), numberOf(y)));
    }
};

KILN_KERNEL void flat(Element const* x, Element const* y, Result* to,
                      KILN_IN_PLACE Arguments arguments) {
    computeFlat<kWidth>(arguments.count, to, Function{},
                        flatOperand<kWidth>(x, arguments.strides[0][0] == 0),
                        flatOperand<kWidth>(y, arguments.strides[1][0] == 0));
}

template <typename Index, int kElements>
__device__ inline void compute(Element const* x, Element const* y, Result* to,
                               Arguments const& arguments) {
    computeBroadcast<Index, kElements>(arguments, to, Function{},
                                       rowOperand<0, Index, kElements>(x),
                                       rowOperand<1, Index, kElements>(y));
}

KILN_KERNEL void rows(Element const* x, Element const* y, Result* to,
                      KILN_IN_PLACE Arguments arguments) {
    compute<uint32_t, kWidth>(x, y, to, arguments);
}

template <int kDense>
__device__ inline void ragged(Element const* x, Element const* y, Result* to,
                              Arguments const& arguments) {
    computeRagged<kWidth>(arguments, to, Function{}, raggedOperand<0, kDense, kWidth>(x),
                          raggedOperand<1, kDense, kWidth>(y));
}

KILN_KERNEL void __launch_bounds__(kThreads, kWordBlocks)
    ragged_0(Element const* x, Element const* y, Result* to, KILN_IN_PLACE Arguments arguments) {
    ragged<0>(x, y, to, arguments);
}

KILN_KERNEL void __launch_bounds__(kThreads, kWordBlocks)
    ragged_1(Element const* x, Element const* y, Result* to, KILN_IN_PLACE Arguments arguments) {
    ragged<1>(x, y, to, arguments);
}

KILN_KERNEL void elements(Element const* x, Element const* y, Result* to,
                          KILN_IN_PLACE Arguments arguments) {
    compute<uint32_t, 1>(x, y, to, arguments);
}

KILN_KERNEL void wide(Element const* x, Element const* y, Result* to,
                      KILN_IN_PLACE Arguments arguments) {
    compute<uint64_t, 1>(x, y, to, arguments);
}
