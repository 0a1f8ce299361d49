// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What follows the sums of a quantized product that a library computed: scales, the operations
// behind, and the result. A thread computes four neighbours of a row. The source that includes this
// file is that of quantized_product.cuh; Total is the type of the sums, int32_t or float.
#pragma once

#include "quantized_arguments.cuh"
#include "threads.cuh"

__device__ inline void finishSums(Total const* sums, Operands const& operands, Output* to,
                                  int64_t rows, Arguments const& arguments) {
    int64_t const columns = arguments.columns; // a multiple of 4
    int64_t const groups = columns / 4;
    int64_t const count = rows * groups;
    bool const wide = (reinterpret_cast<uint64_t>(to) & (4 * sizeof(Output) - 1)) == 0;
    for (int64_t i = threadIndex(); i < count; i += threadCount()) {
        int64_t const row = quotient(i, groups);
        int64_t const column = (i - row * groups) * 4;
        Pack<Total, 4> const own = reinterpret_cast<Pack<Total, 4> const*>(sums)[i];
        Pack<Output, 4> results;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float const sum = static_cast<float>(own.at[k]) *
                                  scaleOf(operands, arguments, column + k) +
                              biasOf(operands, arguments, column + k);
            results.at[k] = resultOf(sum, operands, arguments, row, column + k);
        }
        if (wide) {
            reinterpret_cast<Pack<Output, 4>*>(to)[i] = results;
            continue;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            to[i * 4 + k] = results.at[k];
        }
    }
}
