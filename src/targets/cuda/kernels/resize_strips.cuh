// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The strips of resize.cuh: inner is 1, and there are at most three axes.
#pragma once

#include "resize_taps.cuh"

constexpr int kStripThreads = 256;
constexpr int kStripColumns = 2; ///< of each thread
constexpr int kStripRows = 64;
constexpr int kStripSums = sizeof(Sum) > 4 ? 3328 : 6656; ///< in shared memory

__device__ inline Taps tapsAt(Arguments const& arguments, Axis const& axis, int64_t position) {
    return axis.keeps != 0 ? read(nullptr, axis, position) : tapsOf(arguments, axis, position);
}

/// An input row that an output row needs.
struct Line {
    int64_t at;
    float weight;
};

/// Finds the lines of the rows [first, first + count), of which each has arguments' taps.
__device__ inline void findLines(Arguments const& arguments, int64_t first, int count,
                                 Line* lines) {
    Axis const& depth = arguments.axes[0];
    Axis const& height = arguments.axes[1];
    int const perRow = depth.taps * height.taps;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kStripThreads) {
        RowOfVolume const row(first + i, depth.output, height.output);
        Taps const tapsZ = tapsAt(arguments, depth, row.z);
        Taps const tapsY = tapsAt(arguments, height, row.y);
        for (int line = 0; line < perRow; ++line) {
            int const z = line / height.taps;
            Tap const tapZ = tapAt(tapsZ, z);
            Tap const tapY = tapAt(tapsY, line - z * height.taps);
            int64_t const source =
                (row.stack * depth.input + tapZ.at) * height.input + tapY.at;
            lines[i * perRow + line] = {source * arguments.axes[2].input,
                                        tapZ.weight * tapY.weight};
        }
    }
}

/// Interpolates between lines: elements [first, first + length) to `sums`, by `lanes` threads.
template <int kWidth>
__device__ inline void joinLines(Element const* from, Line const* lines, int count, int first,
                                 int length, int lane, int lanes, Sum* sums) {
    for (int at = lane * kWidth; at < length; at += lanes * kWidth) {
        Pack<Sum, kWidth> own{};
#pragma unroll 2
        for (int line = 0; line < count; ++line) {
            Pack<Element, kWidth> const pack = *reinterpret_cast<Pack<Element, kWidth> const*>(
                from + lines[line].at + first + at);
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                add(own.at[i], lines[line].weight, pack.at[i]);
            }
        }
        constexpr int kPart = kWidth * sizeof(Sum) > 16 ? 16 / sizeof(Sum) : kWidth;
#pragma unroll
        for (int part = 0; part < kWidth / kPart; ++part) {
            Pack<Sum, kPart> four;
#pragma unroll
            for (int i = 0; i < kPart; ++i) {
                four.at[i] = own.at[part * kPart + i];
            }
            *reinterpret_cast<Pack<Sum, kPart>*>(sums + at + part * kPart) = four;
        }
    }
}

KILN_KERNEL void __launch_bounds__(kStripThreads)
    resize_strips(Element const* from, KILN_EXTENTS Element* to, void*,
                  KILN_IN_PLACE Arguments arguments) {
    constexpr int kVector = widthFor(sizeof(Element));
    __shared__ __align__(16) Sum sums[kStripSums];
    __shared__ Line lines[kStripRows * KILN_TAPS * KILN_TAPS];
    Axis const& width = arguments.axes[2];
    int const perRow = arguments.axes[0].taps * arguments.axes[1].taps;
    int const lanes = arguments.lanes;
    int const groups = kStripThreads / lanes;
    int const group = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    int const columns = static_cast<int>(width.output);
    int const begin = static_cast<int>(blockIdx.y) * lanes * kStripColumns;
    int const end = begin + lanes * kStripColumns;
    int const x = begin + lane * kStripColumns;

    int const lowest = tapsAt(arguments, width, begin).at[0].at;
    int const first = lowest & ~(kVector - 1);
    int const last =
        tapsAt(arguments, width, (end < columns ? end : columns) - 1).at[KILN_TAPS - 1].at;
    int const length = last + 1 - first;
    Taps taps[kStripColumns];
#pragma unroll
    for (int i = 0; i < kStripColumns; ++i) {
        taps[i] = tapsAt(arguments, width, x + i < columns ? x + i : columns - 1);
#pragma unroll
        for (int tap = 0; tap < KILN_TAPS; ++tap) {
            taps[i].at[tap].at -= first;
        }
    }
    bool const wide = width.input % kVector == 0 && beginsVector<kVector>(from);
    bool const pairs = columns % kStripColumns == 0 && beginsVector<kStripColumns>(to);

    int64_t const allRows =
        arguments.outer * arguments.axes[0].output * arguments.axes[1].output;
    int64_t const firstRow = static_cast<int64_t>(blockIdx.x) * arguments.rowsOfBlock;
    int64_t const rest = allRows - firstRow;
    int const rows = rest < arguments.rowsOfBlock ? static_cast<int>(rest) : arguments.rowsOfBlock;
    findLines(arguments, firstRow, rows, lines);
    for (int start = 0; start < rows; start += groups * arguments.turns) {
        __syncthreads(); // the lines are written, the sums were read
        for (int turn = 0; turn < arguments.turns; ++turn) {
            int const slot = turn * groups + group;
            if (start + slot < rows) {
                Line const* const own = lines + (start + slot) * perRow;
                Sum* const result = sums + slot * arguments.pitch;
                if (wide) {
                    joinLines<kVector>(from, own, perRow, first, length, lane, lanes, result);
                } else {
                    joinLines<1>(from, own, perRow, first, length, lane, lanes, result);
                }
            }
        }
        __syncthreads();
        for (int turn = 0; turn < arguments.turns; ++turn) {
            int const slot = turn * groups + group;
            if (start + slot >= rows || x >= columns) {
                continue;
            }
            Sum const* const own = sums + slot * arguments.pitch;
            Pack<Element, kStripColumns> result;
#pragma unroll
            for (int i = 0; i < kStripColumns; ++i) {
                Sum sum = Sum{};
#pragma unroll
                for (int tap = 0; tap < KILN_TAPS; ++tap) {
                    if (tap < width.taps) {
#if KILN_MOVES
                        sum = own[taps[i].at[tap].at];
#else
                        sum += taps[i].at[tap].weight * own[taps[i].at[tap].at];
#endif
                    }
                }
                result.at[i] = resultOf(sum);
            }
            Element* const target = to + (firstRow + start + slot) * width.output + x;
            if (pairs) {
                *reinterpret_cast<Pack<Element, kStripColumns>*>(target) = result;
            } else {
                target[0] = result.at[0];
                if (x + 1 < columns) {
                    target[1] = result.at[1];
                }
            }
        }
    }
}
