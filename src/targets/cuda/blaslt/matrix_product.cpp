// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/matrix_product.h"

#include <algorithm>

namespace kiln::targets::cuda {
namespace {

using target::MatrixWorkload;

/// Describes an operand to BLAS, with its kept axis as the rows of op(matrix) if `keptFirst`, else
/// as its columns. Exactly one of the axes is contiguous, or both if an extent is 1.
BlasMatrix blasMatrix(MatrixWorkload::Strides const& strides, int64_t kept, int64_t summed,
                      bool keptFirst) {
    bool const alongSummed = strides.summed == 1;
    BlasMatrix matrix;
    matrix.rows = alongSummed ? summed : kept;
    matrix.columns = alongSummed ? kept : summed;
    // BLAS does not use the stride of a single column, but checks it.
    matrix.leading = std::max(alongSummed ? strides.kept : strides.summed, matrix.rows);
    matrix.transposed = alongSummed == keptFirst;
    return matrix;
}

/// Offsets for all combinations of the loops.
std::vector<BlasOffsets> offsetsOf(std::vector<BatchLoop> const& loops, bool swapped) {
    std::vector<BlasOffsets> offsets{{}};
    for (BatchLoop const& loop : loops) {
        std::vector<BlasOffsets> next;
        for (BlasOffsets const& outer : offsets) {
            for (int64_t i = 0; i < loop.extent; ++i) {
                next.push_back({outer.a + i * (swapped ? loop.right : loop.left),
                                outer.b + i * (swapped ? loop.left : loop.right),
                                outer.c + i * loop.result});
            }
        }
        offsets = std::move(next);
    }
    return offsets;
}

} // namespace

std::vector<BatchLoop> batchLoops(MatrixWorkload const& workload) {
    std::vector<BatchLoop> loops(static_cast<std::size_t>(workload.batch.rank()));
    int64_t stride = workload.rows * workload.columns;
    for (std::size_t i = loops.size(); i-- > 0;) {
        auto const axis = static_cast<int32_t>(i);
        loops[i] = {workload.batch.extent(axis), workload.batch.stride(axis, 0),
                    workload.batch.stride(axis, 1), stride};
        stride *= loops[i].extent;
    }
    return loops;
}

int64_t foldRows(MatrixWorkload const& workload, std::vector<BatchLoop>& loops) {
    int64_t rows = workload.rows;
    int64_t const leading = workload.left.kept == 0 ? workload.inner : workload.left.kept;
    while (!loops.empty() && loops.back().right == 0 && workload.left.summed == 1 &&
           loops.back().left == rows * leading) {
        rows *= loops.back().extent;
        loops.pop_back();
    }
    return rows;
}

MatrixProduct matrixProduct(MatrixWorkload const& workload) {
    MatrixProduct product;
    product.inner = workload.inner;
    if (workload.batch.count() == 0 || workload.rows == 0 || workload.columns == 0) {
        return product;
    }
    std::vector<BatchLoop> loops = batchLoops(workload);
    int64_t const rows = foldRows(workload, loops);
    product.swapped = workload.columns != 1;
    bool const swapped = product.swapped;
    BlasMatrix const left = blasMatrix(workload.left, rows, workload.inner, !swapped);
    BlasMatrix const right = blasMatrix(workload.right, workload.columns, workload.inner, swapped);
    product.a = swapped ? right : left;
    product.b = swapped ? left : right;
    product.c.rows = swapped ? workload.columns : rows;
    product.c.columns = swapped ? rows : workload.columns;
    product.c.leading = product.c.rows;
    auto const longest =
        std::max_element(loops.begin(), loops.end(), [](BatchLoop const& x, BatchLoop const& y) {
            return x.extent < y.extent;
        });
    if (longest != loops.end()) {
        product.batch = longest->extent;
        product.a.batchStride = swapped ? longest->right : longest->left;
        product.b.batchStride = swapped ? longest->left : longest->right;
        product.c.batchStride = longest->result;
        loops.erase(longest);
    }
    product.calls = offsetsOf(loops, swapped);
    return product;
}

} // namespace kiln::targets::cuda
