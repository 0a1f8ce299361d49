// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels in C and C++: the source of each row of y, along the last dimension.
//
// The kernels' scalars: for each dimension its extent in x, and the pads before and after.
#pragma once

#include <stdint.h>

#include <kiln/host_kernel.h>

/// index modulo extent, never negative.
static inline int64_t wrapped(int64_t index, int64_t extent) {
    int64_t const rest = index % extent;
    return rest < 0 ? rest + extent : rest;
}

/// The number of rows of y.
static inline int64_t rowCount(KilnTensorDesc const* y) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < y->rank - 1; ++axis) {
        count *= y->extents[axis];
    }
    return count;
}

/// The number of the row of x that row `row` of y repeats.
static inline int64_t sourceRow(int64_t row, KilnScalar const* scalars, int32_t rank) {
    int64_t source = 0;
    int64_t stride = 1;
    for (int32_t axis = rank - 2; axis >= 0; --axis) {
        int64_t const extent = scalars[3 * axis].integer;
        int64_t const before = scalars[3 * axis + 1].integer;
        int64_t const grown = extent + before + scalars[3 * axis + 2].integer;
        source += wrapped(row % grown - before, extent) * stride;
        row /= grown;
        stride *= extent;
    }
    return source;
}
