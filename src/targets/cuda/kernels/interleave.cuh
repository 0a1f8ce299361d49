// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// interleave: the phases of a transposed convolution side by side. `interleave`, linear: a thread
// writes neighbours of a row; those of one phase are neighbours in the input. `interleave_last`,
// channels last: a thread moves neighbouring maps of a group. `_single`: one element. `_wide`: one
// element of tensors of 2^31 elements or more; the others compute positions in 32 bits, with
// multiplications instead of divisions. KILN_ELEMENT: an unsigned integer as wide as the type.
#include "fast_divide.cuh"
#include "flat.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Axis {
    FastDivide output;
    FastDivide stride;
    int64_t input;
    int64_t before;
};

struct Arguments {
    int64_t count;     ///< vectors of the output
    FastDivide across; ///< vectors of a row, or of the maps of a group
    FastDivide groups;
    FastDivide maps; ///< of a group
    int64_t phases;
    Axis depth; ///< extent 1 if there are fewer than three spatial axes
    Axis height;
    Axis width;
};

/// Divides `rest` by a divisor and returns the remainder.
template <typename Index>
__device__ inline Index takeOff(Index& rest, FastDivide const& divide) {
    Index const above = divide.quotient(rest);
    Index const index = rest - above * static_cast<Index>(divide.divisor);
    rest = above;
    return index;
}

/// Where an output position of an axis comes from.
template <typename Index>
struct Place {
    Index at;
    Index phase;

    __device__ Place(Axis const& axis, Index position)
        : at(position + static_cast<Index>(axis.before)), phase(takeOff(at, axis.stride)) {}
};

template <int kWidth, typename Index>
__device__ inline void interleaveRows(Element const* from, Element* to,
                                      Arguments const& arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    auto const maps = static_cast<Index>(arguments.maps.divisor);
    auto const line = static_cast<Index>(width.input);
    Index const plane =
        static_cast<Index>(depth.input) * static_cast<Index>(height.input) * line;
    Index const step = maps * plane; // from phase to phase
    auto const strideX = static_cast<Index>(width.stride.divisor);
    bool const aligned = beginsVector<kWidth>(to);
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        auto stack = static_cast<Index>(i);
        Place<Index> x(width, takeOff(stack, arguments.across) * kWidth);
        Place<Index> const y(height, takeOff(stack, height.output));
        Place<Index> const z(depth, takeOff(stack, depth.output));
        Index const map = takeOff(stack, arguments.maps); // the stack is now a group of all images
        Index const phase =
            (z.phase * static_cast<Index>(height.stride.divisor) + y.phase) * strideX;
        Element const* const source =
            from + ((stack * static_cast<Index>(arguments.phases) + phase) * maps + map) * plane +
            (z.at * static_cast<Index>(height.input) + y.at) * line;
        Pack<Element, kWidth> result;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            result.at[k] = source[x.phase * step + x.at];
            ++x.phase;
            if (x.phase == strideX) {
                x.phase = 0;
                ++x.at;
            }
        }
        storePack(to + i * kWidth, result, aligned);
    }
}

template <int kWidth, typename Index>
__device__ inline void interleaveLast(Element const* from, Element* to,
                                      Arguments const& arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    bool const aligned = beginsVector<kWidth>(to) && beginsVector<kWidth>(from);
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        auto image = static_cast<Index>(i);
        Index const map = takeOff(image, arguments.across) * kWidth;
        Index const group = takeOff(image, arguments.groups);
        Place<Index> const x(width, takeOff(image, width.output));
        Place<Index> const y(height, takeOff(image, height.output));
        Place<Index> const z(depth, takeOff(image, depth.output));
        Index const phase = (z.phase * static_cast<Index>(height.stride.divisor) + y.phase) *
                                static_cast<Index>(width.stride.divisor) +
                            x.phase;
        Index const at =
            ((image * static_cast<Index>(depth.input) + z.at) * static_cast<Index>(height.input) +
             y.at) *
                static_cast<Index>(width.input) +
            x.at;
        Index const source = ((at * static_cast<Index>(arguments.groups.divisor) + group) *
                                  static_cast<Index>(arguments.phases) +
                              phase) *
                                 static_cast<Index>(arguments.maps.divisor) +
                             map;
        storePack(to + i * kWidth, loadPack<kWidth>(from + source, aligned), aligned);
    }
}

#define KILN_INTERLEAVE(NAME, FUNCTION, WIDTH, INDEX)                                              \
    KILN_KERNEL void NAME(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {   \
        FUNCTION<WIDTH, INDEX>(from, to, arguments);                                               \
    }

KILN_INTERLEAVE(interleave, interleaveRows, widthFor(sizeof(Element)), int32_t)
KILN_INTERLEAVE(interleave_single, interleaveRows, 1, int32_t)
KILN_INTERLEAVE(interleave_last, interleaveLast, widthFor(sizeof(Element)), int32_t)
KILN_INTERLEAVE(interleave_last_single, interleaveLast, 1, int32_t)
#if KILN_WIDE
KILN_INTERLEAVE(interleave_wide, interleaveRows, 1, int64_t)
KILN_INTERLEAVE(interleave_last_wide, interleaveLast, 1, int64_t)
#endif
