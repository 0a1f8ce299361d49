// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// slice: out[p] = data at start + p * stride along each axis; MODE defines values outside the data.
// The slice consists of outer axes and rows, merged by the host where possible; rows of step 1 are
// copied by words, those of step 2 by pairs of words, others by elements. With FROM_OPERANDS,
// start, stride and axes may be on the device: each block reads and checks them, and reports an
// error through the fault word.
// Macros: T, WIDE (0 or 1), MODE (as nvinfer1::SampleMode), INPUTS, FILL_INPUT (0: none); with
// FROM_OPERANDS also START_INPUT, STRIDE_INPUT, AXES_INPUT (0: none), their types START, STRIDE,
// AXES, and RANK of the data.
#include "slice_map.cuh"
#ifndef FROM_OPERANDS
#include "slice_pairs.cuh"
#endif

/// kElementwise: the step of rows is not 1. If operands hold the steps, each block reads them.
template <typename Index, typename Coordinate, int kOuter, bool kElementwise>
__device__ inline void slice(Inputs const& inputs, T* to, int64_t* fault,
                             Arguments const& arguments) {
#ifdef FROM_OPERANDS
    __shared__ ReadSteps steps;
    if (threadIdx.x == 0) {
        steps.problem = readSteps(inputs, arguments, steps);
    }
    __syncthreads();
    if (steps.problem != kFine) {
        if (threadIdx.x == 0) {
            *fault = steps.problem;
        }
        return;
    }
#else
    FixedSteps const steps{};
#endif
    T const* const data = inGlobalMemory(static_cast<T const*>(inputs.at[0]));
    T const* const fill = FILL_INPUT == 0 ? nullptr : static_cast<T const*>(inputs.at[FILL_INPUT]);
    SliceMap<Index, Coordinate, kOuter, decltype(steps)> const map{data, fill, arguments, steps};
    if (kElementwise) {
        fillElements<T, Index>(to, static_cast<Index>(arguments.count), map);
    } else {
        fillWords<T, Index>(to, static_cast<Index>(arguments.count), map);
    }
}

#define KILN_SLICE(NAME, INDEX, COORDINATE, OUTER, ELEMENTWISE)                                    \
    KILN_KERNEL void __launch_bounds__(kThreads, kWordBlocks) NAME(                                \
        KILN_IN_PLACE Inputs inputs, T* to, int64_t* fault, KILN_IN_PLACE Arguments arguments) {   \
        slice<INDEX, COORDINATE, OUTER, ELEMENTWISE>(inputs, to, fault, arguments);                \
    }

#ifdef FROM_OPERANDS
KILN_SLICE(slice_words, int32_t, int64_t, -1, false)
KILN_SLICE(slice_elements, int32_t, int64_t, -1, true)
#else
KILN_SLICE(slice_words_shallow, int32_t, int32_t, 2, false)
KILN_SLICE(slice_words, int32_t, int32_t, -1, false)
KILN_SLICE(slice_elements, int32_t, int32_t, -1, true)
#endif
#if WIDE
KILN_SLICE(slice_words_wide, int64_t, int64_t, -1, false)
KILN_SLICE(slice_elements_wide, int64_t, int64_t, -1, true)
#endif
