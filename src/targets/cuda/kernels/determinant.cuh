// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// determinant: the product of the pivots of an elimination with exchanges of rows, in double. A
// block has a matrix, copied to the workspace; its threads share the rows below the pivot. Small
// matrices stay in registers: a lane has a row, and a row of the pivot is marked instead of moved.
// Macro: KILN_ELEMENT.
#include "threads.cuh"

typedef KILN_ELEMENT Element;

constexpr int kThreads = 128;

struct Arguments {
    int64_t matrices;
    int64_t size;
};

/// The row of the largest element of a column, from its diagonal on. For all threads of the block.
__device__ inline int64_t pivotRow(double const* matrix, int64_t column, int64_t size) {
    __shared__ double largest[kThreads];
    __shared__ int64_t rows[kThreads];
    int const thread = static_cast<int>(threadIdx.x);
    largest[thread] = -1.0;
    rows[thread] = column;
    for (int64_t row = column + thread; row < size; row += kThreads) {
        double const value = matrix[row * size + column];
        double const distance = value < 0.0 ? -value : value;
        if (distance > largest[thread]) {
            largest[thread] = distance;
            rows[thread] = row;
        }
    }
    __syncthreads();
    for (int step = kThreads / 2; step > 0; step /= 2) {
        if (thread < step && largest[thread + step] > largest[thread]) {
            largest[thread] = largest[thread + step];
            rows[thread] = rows[thread + step];
        }
        __syncthreads();
    }
    int64_t const result = rows[0];
    __syncthreads(); // the next call writes to the rows
    return result;
}

__device__ inline double eliminate(double* matrix, int64_t size) {
    double result = 1.0;
    for (int64_t column = 0; column < size; ++column) {
        int64_t const pivot = pivotRow(matrix, column, size);
        double* const top = matrix + column * size;
        if (pivot != column) {
            for (int64_t i = threadIdx.x; i < size; i += kThreads) {
                double const held = top[i];
                top[i] = matrix[pivot * size + i];
                matrix[pivot * size + i] = held;
            }
            result = -result;
        }
        __syncthreads();
        double const head = top[column];
        result *= head;
        if (head == 0.0) {
            return 0.0;
        }
        for (int64_t row = column + 1 + threadIdx.x; row < size; row += kThreads) {
            double* const own = matrix + row * size;
            double const factor = own[column] / head;
            for (int64_t i = column + 1; i < size; ++i) {
                own[i] -= factor * top[i];
            }
        }
        __syncthreads();
    }
    return result;
}

KILN_KERNEL void determinant(Element const* from, Element* to, void* work, Arguments arguments) {
    int64_t const count = arguments.size * arguments.size;
    for (int64_t i = blockIdx.x; i < arguments.matrices; i += gridDim.x) {
        double* const matrix = static_cast<double*>(work) + i * count;
        for (int64_t k = threadIdx.x; k < count; k += kThreads) {
            matrix[k] = toFloat(from[i * count + k]);
        }
        __syncthreads();
        double const result = eliminate(matrix, arguments.size);
        if (threadIdx.x == 0) {
            to[i] = fromFloat<Element>(static_cast<float>(result));
        }
    }
}

/// Larger absolute numbers first, then lower lanes; NaN never wins.
struct Pivot {
    double distance; ///< -1: a row that was a pivot already
    int lane;
};

/// The pivot of the lanes that share a matrix.
template <int kSize>
__device__ inline Pivot bestPivot(Pivot own) {
#pragma unroll
    for (int step = 1; step < kSize; step *= 2) {
        double const distance = __shfl_xor_sync(kAllLanes, own.distance, step, kSize);
        int const lane = __shfl_xor_sync(kAllLanes, own.lane, step, kSize);
        if (distance > own.distance || (distance == own.distance && lane < own.lane)) {
            own = {distance, lane};
        }
    }
    return own;
}

/// Of a matrix whose rows are in kSize neighbouring lanes. The sign is that of the permutation: of
/// each pivot, the rows before it that come later count.
template <int kSize>
__device__ inline double eliminateInLanes(double (&row)[kSize], int lane, int size) {
    double result = 1.0;
    bool isSingular = false;
    unsigned left = kSize == 32 ? kAllLanes : (1U << kSize) - 1U;
#pragma unroll
    for (int column = 0; column < kSize; ++column) {
        // The rows behind the matrix come last.
        bool const waits = (left >> lane & 1U) != 0 && (lane < size) == (column < size);
        double const value = row[column];
        double const magnitude = value < 0.0 ? -value : value;
        // NaN is less than all numbers, more than a row that is done.
        double const distance = !waits ? -2.0 : magnitude == magnitude ? magnitude : -1.0;
        int const pivot = bestPivot<kSize>({distance, lane}).lane;
        double const head = __shfl_sync(kAllLanes, value, pivot, kSize);
        result *= (__popc(left & ((1U << pivot) - 1U)) & 1) != 0 ? -head : head;
        left &= ~(1U << pivot);
        isSingular = isSingular || head == 0.0;
        double const factor = head == 0.0 ? 0.0 : value / head;
#pragma unroll
        for (int i = column + 1; i < kSize; ++i) {
            row[i] -= factor * __shfl_sync(kAllLanes, row[i], pivot, kSize);
        }
    }
    return isSingular ? 0.0 : result;
}

template <int kSize>
__device__ inline void determinantInLanes(Element const* from, Element* to,
                                          Arguments const& arguments) {
    int const lane = static_cast<int>(threadIdx.x) % kSize;
    int const size = static_cast<int>(arguments.size);
    int64_t const matrix = threadIndex() / kSize;
    int64_t const own = matrix < arguments.matrices ? matrix : arguments.matrices - 1;
    Element const* const source = from + (own * size + lane) * size;
    double row[kSize]; // a smaller matrix, and ones along the rest of the diagonal
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
        row[i] = lane < size && i < size ? toFloat(source[i]) : lane == i ? 1.0 : 0.0;
    }
    double const result = eliminateInLanes<kSize>(row, lane, size);
    if (lane == 0 && matrix < arguments.matrices) {
        to[matrix] = fromFloat<Element>(static_cast<float>(result));
    }
}

#define KILN_DETERMINANT(SIZE)                                                                     \
    KILN_KERNEL void __launch_bounds__(kThreads)                                                   \
        determinant_of_##SIZE(Element const* from, Element* to, void*, Arguments arguments) {      \
        determinantInLanes<SIZE>(from, to, arguments);                                             \
    }

KILN_DETERMINANT(4)
KILN_DETERMINANT(8)
KILN_DETERMINANT(16)
