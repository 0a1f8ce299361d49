// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Division by a number that the host knows: a multiplication and two shifts for 32-bit dividends of
// 0 or more. fast_divide.h makes the numbers and says why this is exact.
#pragma once

#include "prelude.cuh"

struct FastDivide {
    int64_t divisor;
    uint32_t multiplier;
    uint32_t shift;

    __device__ int32_t quotient(int32_t dividend) const {
        uint64_t const doubled = static_cast<uint32_t>(dividend) << 1;
        return static_cast<int32_t>(static_cast<uint32_t>(doubled * multiplier >> 32) >> shift);
    }
    __device__ int64_t quotient(int64_t dividend) const { return dividend / divisor; }
};
