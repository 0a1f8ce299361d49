// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// interleave: the phases of a transposed convolution side by side. `interleave`, linear: a thread
// writes neighbours of a row; those of one phase are neighbours in the input. `interleave_last`,
// channels last: a thread moves neighbouring maps of a group. `_single`: one element. KILN_ELEMENT:
// an unsigned integer as wide as the type.
#include "flat.cuh"
#include "volume.cuh"

typedef KILN_ELEMENT Element;

struct Axis {
    int64_t input;
    int64_t output;
    int64_t stride;
    int64_t before;
};

struct Arguments {
    int64_t batch;
    int64_t groups;
    int64_t maps; ///< of a group
    int64_t phases;
    Axis depth; ///< extent 1 if there are fewer than three spatial axes
    Axis height;
    Axis width;
};

/// Where an output position of an axis comes from.
struct Place {
    int64_t at;
    int64_t phase;

    __device__ Place(Axis const& axis, int64_t position) {
        at = quotient(position + axis.before, axis.stride);
        phase = position + axis.before - at * axis.stride;
    }
};

template <int kWidth>
__device__ inline void interleaveRows(Element const* from, Element* to,
                                      Arguments const& arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    int64_t const across = width.output / kWidth;
    int64_t const plane = depth.input * height.input * width.input;
    int64_t const count = arguments.batch * arguments.groups * arguments.maps * depth.output *
                          height.output * across;
    bool const aligned = beginsVector<kWidth>(to);
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const row = quotient(index, across);
        int64_t const first = (index - row * across) * kWidth;
        RowOfVolume const place(row, depth.output, height.output);
        int64_t const group = quotient(place.stack, arguments.maps); // of all images
        Place const z(depth, place.z);
        Place const y(height, place.y);
        int64_t const phase = (z.phase * height.stride + y.phase) * width.stride;
        int64_t const map = place.stack - group * arguments.maps;
        Element const* const source =
            from + ((group * arguments.phases + phase) * arguments.maps + map) * plane +
            (z.at * height.input + y.at) * width.input;
        int64_t const step = arguments.maps * plane;
        Pack<Element, kWidth> result;
        Place x(width, first);
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            result.at[i] = source[x.phase * step + x.at];
            ++x.phase;
            if (x.phase == width.stride) {
                x.phase = 0;
                ++x.at;
            }
        }
        Element* const target = to + row * width.output + first;
        storePack(target, result, aligned);
    }
}

template <int kWidth>
__device__ inline void interleaveLast(Element const* from, Element* to,
                                      Arguments const& arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    int64_t const across = arguments.maps / kWidth;
    int64_t const count = arguments.batch * depth.output * height.output * width.output *
                          arguments.groups * across;
    bool const aligned = beginsVector<kWidth>(to) && beginsVector<kWidth>(from);
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const groups = quotient(index, across);
        int64_t const map = (index - groups * across) * kWidth;
        int64_t const position = quotient(groups, arguments.groups);
        int64_t const group = groups - position * arguments.groups;
        PlaceInVolume const place(position, depth.output, height.output, width.output);
        Place const z(depth, place.z);
        Place const y(height, place.y);
        Place const x(width, place.x);
        int64_t const phase = (z.phase * height.stride + y.phase) * width.stride + x.phase;
        int64_t const at =
            ((place.stack * depth.input + z.at) * height.input + y.at) * width.input + x.at;
        Element const* const source =
            from + ((at * arguments.groups + group) * arguments.phases + phase) * arguments.maps +
            map;
        Element* const target = to + groups * arguments.maps + map;
        storePack(target, loadPack<kWidth>(source, aligned), aligned);
    }
}

#define KILN_INTERLEAVE(NAME, FUNCTION, WIDTH)                                                     \
    KILN_KERNEL void NAME(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {   \
        FUNCTION<WIDTH>(from, to, arguments);                                                      \
    }

KILN_INTERLEAVE(interleave, interleaveRows, widthFor(sizeof(Element)))
KILN_INTERLEAVE(interleave_single, interleaveRows, 1)
KILN_INTERLEAVE(interleave_last, interleaveLast, widthFor(sizeof(Element)))
KILN_INTERLEAVE(interleave_last_single, interleaveLast, 1)
