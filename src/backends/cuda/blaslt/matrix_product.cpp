// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/blaslt/matrix_product.h"

#include <algorithm>

namespace kiln::backends::cuda {
namespace {

using backend::MatrixProblem;

/// One loop over the batch, with its strides.
struct BatchLoop {
    int64_t extent = 1;
    int64_t left = 0;
    int64_t right = 0;
    int64_t result = 0;
};

/// Innermost last; the strides of the result are those of a dense tensor.
std::vector<BatchLoop> batchLoops(MatrixProblem const& problem) {
    std::vector<BatchLoop> loops(static_cast<std::size_t>(problem.batch.rank()));
    int64_t stride = problem.rows * problem.columns;
    for (std::size_t i = loops.size(); i-- > 0;) {
        auto const axis = static_cast<int32_t>(i);
        loops[i] = {problem.batch.extent(axis), problem.batch.stride(axis, 0),
                    problem.batch.stride(axis, 1), stride};
        stride *= loops[i].extent;
    }
    return loops;
}

/// Folds inner loops along which only the left operand moves into its rows. Returns the row count.
int64_t foldRows(MatrixProblem const& problem, std::vector<BatchLoop>& loops) {
    int64_t rows = problem.rows;
    int64_t const leading = problem.left.kept == 0 ? problem.inner : problem.left.kept;
    while (!loops.empty() && loops.back().right == 0 && problem.left.summed == 1 &&
           loops.back().left == rows * leading) {
        rows *= loops.back().extent;
        loops.pop_back();
    }
    return rows;
}

/// Describes an operand to BLAS, with its kept axis as the rows of op(matrix) if `keptFirst`, else
/// as its columns. Exactly one of the axes is contiguous, or both if an extent is 1.
BlasMatrix blasMatrix(MatrixProblem::Strides const& strides, int64_t kept, int64_t summed,
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

MatrixProduct matrixProduct(MatrixProblem const& problem) {
    MatrixProduct product;
    product.inner = problem.inner;
    if (problem.batch.count() == 0 || problem.rows == 0 || problem.columns == 0) {
        return product;
    }
    std::vector<BatchLoop> loops = batchLoops(problem);
    int64_t const rows = foldRows(problem, loops);
    product.swapped = problem.columns != 1;
    bool const swapped = product.swapped;
    BlasMatrix const left = blasMatrix(problem.left, rows, problem.inner, !swapped);
    BlasMatrix const right = blasMatrix(problem.right, problem.columns, problem.inner, swapped);
    product.a = swapped ? right : left;
    product.b = swapped ? left : right;
    product.c.rows = swapped ? problem.columns : rows;
    product.c.columns = swapped ? rows : problem.columns;
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

} // namespace kiln::backends::cuda
