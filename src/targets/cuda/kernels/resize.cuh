// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// resize: interpolation along axes of [outer, axes..., inner]. `resize_tiles`, for inner 1 where
// the last two axes change: input rows in shared memory. `resize_doubled` and `resize_halved`: such
// images whose extents double or halve. The others read tables:
// `resize_tables` writes the samples and weights of each output position of each axis to the
// workspace, as the host's resizeTaps() does. `resize_rows`, for inner 1: a thread computes
// neighbouring outputs along the last of three axes; neighbours write neighbouring vectors.
// `resize_vectors`: a thread computes one vector of `inner` elements, neighbours read neighbouring
// vectors. `_single`: vectors of one element. `resize_any`: one element of any number of axes.
// Computes in float. KILN_ELEMENT: the type, with KILN_MOVES 1 an integer as wide; KILN_TAPS:
// samples along a resized axis (1, 2, 4); KILN_MOVES: whether elements are only moved;
// KILN_DOUBLES: whether there is `resize_doubled`.
#include "resize_tiles.cuh"
#if KILN_DOUBLES
#include "resize_doubles.cuh"
#endif

KILN_KERNEL void resize_tables(Element const*, KILN_EXTENTS Element*, void* workspace,
                               KILN_IN_PLACE Arguments arguments) {
    Taps* const tables = static_cast<Taps*>(workspace);
    for (int64_t i = threadIndex(); i < arguments.tables; i += threadCount()) {
        int which = arguments.rank - 1;
        while (arguments.axes[which].keeps != 0 || i < arguments.axes[which].table) {
            --which;
        }
        Axis const& axis = arguments.axes[which];
        tables[i] = tapsOf(arguments, axis, i - axis.table);
    }
}

/// An output row of three axes, and the samples of the first two.
struct Row : RowOfVolume {
    Taps tapsZ;
    Taps tapsY;

    __device__ Row(Arguments const& arguments, Taps const* tables, int64_t row)
        : RowOfVolume(row, arguments.axes[0].output, arguments.axes[1].output) {
        tapsZ = read(tables, arguments.axes[0], z);
        tapsY = read(tables, arguments.axes[1], y);
    }
    /// The input row of a sample.
    __device__ int64_t source(Arguments const& arguments, int tapZ, int tapY) const {
        return (stack * arguments.axes[0].input + tapAt(tapsZ, tapZ).at) * arguments.axes[1].input +
               tapAt(tapsY, tapY).at;
    }
    __device__ float weight(int tapZ, int tapY) const {
        return tapAt(tapsZ, tapZ).weight * tapAt(tapsY, tapY).weight;
    }
};

template <int kWidth>
__device__ inline void resizeRows(Element const* from, Element* to, void const* workspace,
                                  Arguments const& arguments) {
    Taps const* const tables = static_cast<Taps const*>(workspace);
    Axis const& width = arguments.axes[2];
    int64_t const across = width.output / kWidth;
    int64_t const count =
        arguments.outer * arguments.axes[0].output * arguments.axes[1].output * across;
    int const tapsZ = arguments.axes[0].taps;
    int const tapsY = arguments.axes[1].taps;
    bool const aligned = beginsVector<kWidth>(to);
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const rowIndex = quotient(index, across);
        int64_t const x = (index - rowIndex * across) * kWidth;
        Row const row(arguments, tables, rowIndex);
        Taps taps[kWidth];
        Sum sums[kWidth];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            taps[i] = read(tables, width, x + i);
            sums[i] = Sum{};
        }
        for (int z = 0; z < tapsZ; ++z) {
            for (int y = 0; y < tapsY; ++y) {
                Element const* const line = from + row.source(arguments, z, y) * width.input;
                float const weight = row.weight(z, y);
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
#pragma unroll
                    for (int tap = 0; tap < KILN_TAPS; ++tap) {
                        add(sums[i], weight * taps[i].at[tap].weight, line[taps[i].at[tap].at]);
                    }
                }
            }
        }
        Pack<Element, kWidth> result;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            result.at[i] = resultOf(sums[i]);
        }
        Element* const target = to + rowIndex * width.output + x;
        storePack(target, result, aligned);
    }
}

template <int kWidth>
__device__ inline void resizeVectors(Element const* from, Element* to, void const* workspace,
                                     Arguments const& arguments) {
    Taps const* const tables = static_cast<Taps const*>(workspace);
    Axis const& width = arguments.axes[2];
    int64_t const across = arguments.inner / kWidth;
    int64_t const count = arguments.outer * arguments.axes[0].output * arguments.axes[1].output *
                          width.output * across;
    bool const aligned = beginsVector<kWidth>(to) && beginsVector<kWidth>(from);
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const position = quotient(index, across);
        int64_t const first = (index - position * across) * kWidth;
        int64_t const rowIndex = quotient(position, width.output);
        Row const row(arguments, tables, rowIndex);
        Taps const taps = read(tables, width, position - rowIndex * width.output);
        Sum sums[kWidth];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            sums[i] = Sum{};
        }
        for (int z = 0; z < arguments.axes[0].taps; ++z) {
            for (int y = 0; y < arguments.axes[1].taps; ++y) {
                int64_t const line = row.source(arguments, z, y) * width.input;
                for (int tap = 0; tap < width.taps; ++tap) {
                    Tap const chosen = tapAt(taps, tap);
                    Element const* const source =
                        from + (line + chosen.at) * arguments.inner + first;
                    float const weight = row.weight(z, y) * chosen.weight;
                    Pack<Element, kWidth> const pack = loadPack<kWidth>(source, aligned);
#pragma unroll
                    for (int i = 0; i < kWidth; ++i) {
                        add(sums[i], weight, pack.at[i]);
                    }
                }
            }
        }
        Pack<Element, kWidth> result;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            result.at[i] = resultOf(sums[i]);
        }
        Element* const target = to + position * arguments.inner + first;
        storePack(target, result, aligned);
    }
}

#define KILN_RESIZE(NAME, FUNCTION, WIDTH)                                                         \
    KILN_KERNEL void NAME(Element const* from, KILN_EXTENTS Element* to, void* workspace,          \
                          KILN_IN_PLACE Arguments arguments) {                                     \
        FUNCTION<WIDTH>(from, to, workspace, arguments);                                           \
    }

KILN_RESIZE(resize_rows, resizeRows, widthFor(sizeof(Element)))
KILN_RESIZE(resize_rows_single, resizeRows, 1)
KILN_RESIZE(resize_vectors, resizeVectors, widthFor(sizeof(Element)))
KILN_RESIZE(resize_vectors_single, resizeVectors, 1)

KILN_KERNEL void resize_any(Element const* from, KILN_EXTENTS Element* to, void* workspace,
                            KILN_IN_PLACE Arguments arguments) {
    Taps const* const tables = static_cast<Taps const*>(workspace);
    int64_t count = arguments.outer * arguments.inner;
    int64_t samples = 1;
    for (int i = 0; i < arguments.rank; ++i) {
        count *= arguments.axes[i].output;
        samples *= arguments.axes[i].taps;
    }
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        Sum sum = Sum{};
        for (int64_t sample = 0; sample < samples; ++sample) {
            int64_t rest = quotient(index, arguments.inner);
            int64_t at = index - rest * arguments.inner;
            int64_t step = arguments.inner;
            int64_t tap = sample;
            float weight = 1.0F;
            for (int i = arguments.rank - 1; i >= 0; --i) {
                Axis const& axis = arguments.axes[i];
                int64_t const next = quotient(rest, axis.output);
                int64_t const nextTap = quotient(tap, axis.taps);
                Taps const taps = read(tables, axis, rest - next * axis.output);
                Tap const chosen = tapAt(taps, tap - nextTap * axis.taps);
                at += chosen.at * step;
                weight *= chosen.weight;
                step *= axis.input;
                rest = next;
                tap = nextTap;
            }
            add(sum, weight, from[at + rest * step]);
        }
        to[index] = resultOf(sum);
    }
}
