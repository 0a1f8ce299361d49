// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of cumulative share. Macros: cumulative.cuh.
#pragma once

#include "numbers.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_NUMBER Number;

constexpr int kThreads = 256;
constexpr int kVector = 16 / sizeof(Element);
constexpr int kPacks = 2; ///< that a thread takes of a tile
constexpr int kAhead = 8; ///< elements of a column in flight

struct Arguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int64_t parts;
};

__device__ inline Number load(Element value) {
    return static_cast<Number>(numberOf(value));
}

template <typename T>
__device__ inline T elementFor(Number sum) {
    if constexpr (Integers<T>::kAre) {
        return static_cast<T>(sum);
    } else {
        return fromFloat<T>(static_cast<float>(sum));
    }
}

__device__ inline Element stored(Number sum) {
    return elementFor<Element>(sum);
}

/// A part of a row or column: elements [begin, end), in the order of the sums.
struct Part {
    int64_t begin;
    int64_t end;
};

/// Parts begin at whole packs.
__device__ inline int64_t beginOf(int64_t part, Arguments const& arguments) {
    int64_t const begin = part * arguments.extent / arguments.parts;
    return part == arguments.parts ? begin : begin / kVector * kVector;
}

__device__ inline Part partOf(int64_t part, Arguments const& arguments) {
    return {beginOf(part, arguments), beginOf(part + 1, arguments)};
}

/// The address of element i in the order of the sums, for i from 0 on.
__device__ inline int64_t placeOf(int64_t i, Arguments const& arguments) {
    return KILN_REVERSE != 0 ? arguments.extent - 1 - i : i;
}
