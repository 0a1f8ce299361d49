// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// concatenation: each input is [rows, part]; an output row is the inputs' rows one after the other.
// One launch for all inputs: the output is filled by words, each from the input that it belongs to.
#include "words.cuh"

struct Inputs {
    void const* at[INPUTS];
};

struct Arguments {
    int64_t rows;
    FastDivide row;             ///< elements of the output
    int64_t starts[INPUTS + 1]; ///< start of each input's part in a row, in elements
};

template <typename Index>
struct ConcatenationMap {
    typedef NoKey Key;
    Inputs const& inputs;
    Arguments const& arguments;

    __device__ Index start(int part) const { return static_cast<Index>(arguments.starts[part]); }

    /// The input that a column of the output belongs to.
    __device__ int partOf(Index column) const {
        int part = 0;
        if (INPUTS <= 8) {
#pragma unroll
            for (int i = 1; i < INPUTS; ++i) {
                part += column >= start(i) ? 1 : 0;
            }
            return part;
        }
        int end = INPUTS; // starts[part] <= column < starts[end]
        while (end - part > 1) {
            int const middle = (part + end) / 2;
            if (column >= start(middle)) {
                part = middle;
            } else {
                end = middle;
            }
        }
        return part;
    }

    __device__ Key key(Index) const { return {}; }
    __device__ T constant() const { return T{}; }

    __device__ Origin find(Index position, Key, Run<T>& run) const {
        Index const row = arguments.row.quotient(position);
        Index const column = position - row * static_cast<Index>(arguments.row.divisor);
        int const part = partOf(column);
        Index const begin = start(part);
        Index const end = start(part + 1);
        if (column + kPerWord<T> > end) {
            return Origin::kMixed;
        }
        run.begin = static_cast<T const*>(inputs.at[part]);
        run.from = run.begin + row * (end - begin) + (column - begin);
        run.end = run.begin + static_cast<Index>(arguments.rows) * (end - begin);
        return Origin::kRun;
    }

    __device__ T at(Index position) const {
        Index const row = arguments.row.quotient(position);
        Index const column = position - row * static_cast<Index>(arguments.row.divisor);
        int const part = partOf(column);
        Index const begin = start(part);
        return inGlobalMemory(static_cast<T const*>(
            inputs.at[part]))[row * (start(part + 1) - begin) + (column - begin)];
    }
};

template <typename Index>
__device__ inline void concatenate(Inputs const& inputs, T* to, Arguments const& arguments) {
    ConcatenationMap<Index> const map{inputs, arguments};
    fillWords<T, Index>(to, static_cast<Index>(arguments.rows * arguments.row.divisor), map);
}

KILN_KERNEL void __launch_bounds__(kThreads, kWordBlocks)
    concatenation(KILN_IN_PLACE Inputs inputs, T* to, KILN_IN_PLACE Arguments arguments) {
    concatenate<int32_t>(inputs, to, arguments);
}

KILN_KERNEL void __launch_bounds__(kThreads, kWordBlocks)
    concatenation_wide(KILN_IN_PLACE Inputs inputs, T* to, KILN_IN_PLACE Arguments arguments) {
    concatenate<int64_t>(inputs, to, arguments);
}
