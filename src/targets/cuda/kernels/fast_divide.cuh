// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Division by a number known to the host: a multiplication and two shifts for nonnegative 32-bit
// dividends. fast_divide.h computes the numbers and explains why this is exact.
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
