// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Images whose height and width both double, or, with two samples for an output, both halve.
// Outputs at even places have the same weights, and so have those at odd places, so a thread needs
// no tables and no shared memory: it loads vectors of neighbours of some input rows at once, and
// writes vectors of 16 bytes. Macros: KILN_EVEN and KILN_ODD: the first sample of outputs 2k and
// 2k + 1 of a doubled axis, less k. The numbers are those of resize_tiles.cuh.
#pragma once

#include "resize_tiles.cuh"
#include "wide_stores.cuh"

constexpr int kDoubledLow = KILN_EVEN < KILN_ODD ? KILN_EVEN : KILN_ODD;
constexpr int kDoubledHigh = (KILN_EVEN < KILN_ODD ? KILN_ODD : KILN_EVEN) + KILN_TAPS - 1;
/// Samples in front of and behind those of the same place.
constexpr int kDoubledFront = kDoubledLow < 0 ? -kDoubledLow : 0;
constexpr int kDoubledBehind = kDoubledHigh > 0 ? kDoubledHigh : 0;
constexpr int kDoubledHalo = kDoubledFront + kDoubledBehind;
/// Inputs along a row of a thread; outputs are a vector.
constexpr int kDoubledInputs = kVector / 2;
constexpr int kDoubledStrip = 4; ///< input rows of a thread
constexpr int kDoubledThreads = 128;

/// The first sample of an output, counted from the first of its window.
__device__ constexpr int doubledFirst(int input, bool odd) {
    return input + kDoubledFront + (odd ? KILN_ODD : KILN_EVEN);
}

/// A piece of an input row, as far as the outputs of a thread need it.
struct DoubledRow {
    Element at[kDoubledInputs + kDoubledHalo];

    __device__ void load(Element const* row, int32_t column, int32_t width, bool aligned) {
        Pack<Element, kDoubledInputs> const own = loadPack<kDoubledInputs>(row + column, aligned);
#pragma unroll
        for (int i = 0; i < kDoubledInputs; ++i) {
            at[kDoubledFront + i] = own.at[i];
        }
#pragma unroll
        for (int i = 0; i < kDoubledFront; ++i) {
            int32_t const from = column - kDoubledFront + i;
            at[i] = row[from < 0 ? 0 : from];
        }
#pragma unroll
        for (int i = 0; i < kDoubledBehind; ++i) {
            int32_t const from = column + kDoubledInputs + i;
            at[kDoubledFront + kDoubledInputs + i] = row[from < width ? from : width - 1];
        }
    }
    /// Interpolates along the row.
    __device__ void interpolate(Arguments const& arguments, Sum (&sums)[kVector]) const {
        Sum numbers[kDoubledInputs + kDoubledHalo];
#pragma unroll
        for (int i = 0; i < kDoubledInputs + kDoubledHalo; ++i) {
            numbers[i] = numberAt(at + i);
        }
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
#pragma unroll
            for (int tap = 0; tap < KILN_TAPS; ++tap) {
                addSample(sums[i], arguments.phases[i % 2][tap],
                          numbers[doubledFirst(i / 2, i % 2 != 0) + tap], tap == 0);
            }
        }
    }
};

__device__ inline void storeVector(Element* to, Pack<Element, kVector> const& vector,
                                   bool aligned) {
    if (aligned) {
        storeAtOnce(to, vector);
    } else {
        storePack(to, vector, false);
    }
}

/// The outputs of a strip of input rows.
__device__ inline void resizeDoubled(Element const* plane, Element* target, int32_t y,
                                     int32_t column, bool aligned, Arguments const& arguments) {
    constexpr int kRows = kDoubledStrip + kDoubledHalo;
    int32_t const height = static_cast<int32_t>(arguments.axes[1].input);
    int32_t const width = static_cast<int32_t>(arguments.axes[2].input);
    DoubledRow held[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        int32_t const row = y - kDoubledFront + r;
        int32_t const inside = row < 0 ? 0 : row < height ? row : height - 1;
        held[r].load(plane + inside * width, column, width, aligned);
    }
    Sum lines[kRows][kVector];
#pragma unroll
    for (int r = 0; r < kDoubledHalo; ++r) {
        held[r].interpolate(arguments, lines[r]);
    }
#pragma unroll
    for (int k = 0; k < kDoubledStrip; ++k) {
        held[k + kDoubledHalo].interpolate(arguments, lines[k + kDoubledHalo]);
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            Sum sums[kVector];
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
#pragma unroll
                for (int tap = 0; tap < KILN_TAPS; ++tap) {
                    addSample(sums[i], arguments.phases[odd][tap],
                              lines[doubledFirst(k, odd != 0) + tap][i], tap == 0);
                }
            }
            Pack<Element, kVector> result;
            storeResults(result.at, sums);
            if (y + k < height) {
                storeVector(target + (2 * k + odd) * (2 * width), result, aligned);
            }
        }
    }
}

KILN_KERNEL void __launch_bounds__(kDoubledThreads)
    resize_doubled(Element const* from, KILN_EXTENTS Element* to, void*,
                   KILN_IN_PLACE Arguments arguments) {
    int32_t const height = static_cast<int32_t>(arguments.axes[1].input);
    int32_t const width = static_cast<int32_t>(arguments.axes[2].input);
    int64_t const area = static_cast<int64_t>(height) * width;
    int64_t const columns = width / kDoubledInputs;
    int64_t const count = arguments.outer * arguments.strips * columns;
    bool const aligned = beginsVector<kDoubledInputs>(from) && beginsVector<kVector>(to);
    int64_t const index = threadIndex();
    if (index >= count) {
        return;
    }
    int64_t const strip = quotient(index, columns);
    int64_t const plane = quotient(strip, arguments.strips);
    int32_t const column = static_cast<int32_t>(index - strip * columns) * kDoubledInputs;
    int32_t const y = static_cast<int32_t>(strip - plane * arguments.strips) * kDoubledStrip;
    resizeDoubled(from + plane * area,
                  to + (plane * 4 * area + static_cast<int64_t>(y) * 4 * width + 2 * column), y,
                  column, aligned, arguments);
}

#if KILN_TAPS == 2
constexpr int kHalvedStrip = 2; ///< output rows of a thread

KILN_KERNEL void __launch_bounds__(kDoubledThreads)
    resize_halved(Element const* from, KILN_EXTENTS Element* to, void*,
                  KILN_IN_PLACE Arguments arguments) {
    int32_t const height = static_cast<int32_t>(arguments.axes[1].output);
    int32_t const width = static_cast<int32_t>(arguments.axes[2].output);
    int64_t const area = static_cast<int64_t>(height) * width;
    int64_t const columns = width / kVector;
    int64_t const count = arguments.outer * arguments.strips * columns;
    bool const aligned = beginsVector<kVector>(from) && beginsVector<kVector>(to);
    int64_t const index = threadIndex();
    if (index >= count) {
        return;
    }
    int64_t const strip = quotient(index, columns);
    int64_t const plane = quotient(strip, arguments.strips);
    int32_t const column = static_cast<int32_t>(index - strip * columns) * kVector;
    int32_t const y = static_cast<int32_t>(strip - plane * arguments.strips) * kHalvedStrip;
    Pack<Element, kVector> held[2 * kHalvedStrip][2];
#pragma unroll
    for (int r = 0; r < 2 * kHalvedStrip; ++r) {
        int32_t const row = 2 * y + r < 2 * height ? 2 * y + r : 2 * height - 1;
        Element const* const line =
            from + (plane * 4 * area + static_cast<int64_t>(row) * 2 * width + 2 * column);
        held[r][0] = loadPack<kVector>(line, aligned);
        held[r][1] = loadPack<kVector>(line + kVector, aligned);
    }
    float const(&weights)[4] = arguments.phases[0];
#pragma unroll
    for (int k = 0; k < kHalvedStrip; ++k) {
        Sum sums[kVector];
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            Sum lines[2];
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                auto const& pack = held[2 * k + r][2 * i / kVector];
                addSample(lines[r], weights[0], numberAt(pack.at + 2 * i % kVector), true);
                addSample(lines[r], weights[1], numberAt(pack.at + 2 * i % kVector + 1), false);
            }
            addSample(sums[i], weights[0], lines[0], true);
            addSample(sums[i], weights[1], lines[1], false);
        }
        Pack<Element, kVector> result;
        storeResults(result.at, sums);
        if (y + k < height) {
            storeVector(to + (plane * area + static_cast<int64_t>(y + k) * width + column), result,
                        aligned);
        }
    }
}
#endif
