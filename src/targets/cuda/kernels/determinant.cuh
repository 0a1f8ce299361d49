// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// determinant: the product of the pivots of an elimination with exchanges of rows, in double. A
// block has a matrix, copied to the workspace; its threads share the rows below the pivot. Macro:
// KILN_ELEMENT.
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
