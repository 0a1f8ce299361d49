// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Positions in stacks of volumes [stack, depth, height, width]; images have depth 1.
#pragma once

#include "threads.cuh"

/// The place of row number `row`.
struct RowOfVolume {
    int64_t stack;
    int64_t z;
    int64_t y;

    __device__ RowOfVolume(int64_t row, int64_t depth, int64_t height) {
        int64_t const slice = quotient(row, height);
        y = row - slice * height;
        stack = quotient(slice, depth);
        z = slice - stack * depth;
    }
};

/// The place of an element of any row.
struct PlaceInVolume : RowOfVolume {
    int64_t x;

    /// `row` is position / width.
    __device__ PlaceInVolume(int64_t position, int64_t row, int64_t depth, int64_t height,
                             int64_t width)
        : RowOfVolume(row, depth, height), x(position - row * width) {}

    __device__ PlaceInVolume(int64_t position, int64_t depth, int64_t height, int64_t width)
        : PlaceInVolume(position, quotient(position, width), depth, height, width) {}
};
