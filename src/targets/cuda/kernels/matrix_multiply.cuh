// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// matrix multiply: [batch..., rows, inner] x [batch..., inner, columns], any strides, summed in
// float. A block of 16 by 16 threads computes a tile of 64 by 64 results, 4 by 4 per thread. It
// loads both operands into shared memory, 16 steps of the inner axis at a time, and reads along the
// contiguous axis. KILN_ELEMENT: the type.
#include "prelude.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Matrix {
    int64_t kept;   ///< stride along rows of the left operand, columns of the right one
    int64_t summed; ///< stride along the inner axis
};

/// Loops over the batch, outermost first, with the strides of both operands.
struct Batch {
    int32_t rank;
    int64_t extent[kMaxRank];
    int64_t left[kMaxRank];
    int64_t right[kMaxRank];
};

struct Arguments {
    int64_t count; ///< products
    int64_t rows;
    int64_t columns;
    int64_t inner;
    Matrix left;
    Matrix right;
    Batch batch;
};

constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kEach = 4; ///< rows and columns per thread
constexpr int kThreads = kTile / kEach;

/// tile[k][i]: element i of the kept axis, k of the summed axis; zeros outside the operand.
__device__ inline void loadTile(Element const* from, Matrix const& matrix, int64_t firstKept,
                                int64_t kept, int64_t firstSummed, int64_t summed,
                                float (*tile)[kTile + 1]) {
    bool const alongInner = matrix.summed == 1;
    constexpr int kBlock = kThreads * kThreads;
#pragma unroll
    for (int part = 0; part < kTile * kDepth / kBlock; ++part) {
        int const index = part * kBlock + static_cast<int>(threadIdx.x);
        int const i = alongInner ? index / kDepth : index % kTile;
        int const k = alongInner ? index % kDepth : index / kTile;
        bool const inside = firstKept + i < kept && firstSummed + k < summed;
        tile[k][i] = inside ? toFloat(from[(firstKept + i) * matrix.kept +
                                           (firstSummed + k) * matrix.summed])
                            : 0.0F;
    }
}

__device__ inline void computeTile(Element const* left, Element const* right, Element* to,
                                   int64_t row, int64_t column, Arguments const& arguments) {
    __shared__ float a[kDepth][kTile + 1];
    __shared__ float b[kDepth][kTile + 1];
    int const x = static_cast<int>(threadIdx.x) % kThreads;
    int const y = static_cast<int>(threadIdx.x) / kThreads;
    float sums[kEach][kEach] = {};
    for (int64_t first = 0; first < arguments.inner; first += kDepth) {
        __syncthreads(); // the tiles may still be read
        loadTile(left, arguments.left, row, arguments.rows, first, arguments.inner, a);
        loadTile(right, arguments.right, column, arguments.columns, first, arguments.inner, b);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) {
                    sums[i][j] += a[k][y + i * kThreads] * b[k][x + j * kThreads];
                }
            }
        }
    }
    for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
            int64_t const atRow = row + y + i * kThreads;
            int64_t const atColumn = column + x + j * kThreads;
            if (atRow < arguments.rows && atColumn < arguments.columns) {
                to[atRow * arguments.columns + atColumn] = fromFloat<Element>(sums[i][j]);
            }
        }
    }
}

KILN_KERNEL void multiply(Element const* left, Element const* right, Element* to,
                          Arguments arguments) {
    int64_t const across = quotient(arguments.columns + kTile - 1, kTile);
    int64_t const down = quotient(arguments.rows + kTile - 1, kTile);
    for (int64_t task = blockIdx.x; task < arguments.count * down * across; task += gridDim.x) {
        int64_t const stripe = quotient(task, across);
        int64_t const product = quotient(stripe, down);
        Element const* a = left;
        Element const* b = right;
        int64_t index = product;
        for (int axis = arguments.batch.rank - 1; axis >= 0; --axis) {
            int64_t const next = quotient(index, arguments.batch.extent[axis]);
            int64_t const position = index - next * arguments.batch.extent[axis];
            a += position * arguments.batch.left[axis];
            b += position * arguments.batch.right[axis];
            index = next;
        }
        computeTile(a, b, to + product * arguments.rows * arguments.columns,
                    (stripe - product * down) * kTile, (task - stripe * across) * kTile, arguments);
    }
}
