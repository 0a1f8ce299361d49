// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "target/workload/matrix_product.h"

namespace kiln::targets::cuda {

/// One matrix as described to BLAS: column-major.
struct BlasMatrix {
    int64_t rows = 1; ///< as stored
    int64_t columns = 1;
    int64_t leading = 1; ///< elements from one column to the next
    bool transposed = false;
    int64_t batchStride = 0;

    bool operator==(BlasMatrix const&) const = default;
};

/// Start of the operands of one call, in elements.
struct BlasOffsets {
    int64_t a = 0;
    int64_t b = 0;
    int64_t c = 0;

    bool operator==(BlasOffsets const&) const = default;
};

/// A matrix multiplication as BLAS calls: c = a * b for `batch` matrices each.
///
/// A row-major matrix is a transposed column-major one, so BLAS computes c^T = right^T * left^T. A
/// single result column is not swapped, because BLAS has matrix-vector products for it.
struct MatrixProduct {
    bool swapped = true; ///< a is the right operand
    BlasMatrix a;
    BlasMatrix b;
    BlasMatrix c;
    int64_t batch = 1;
    std::vector<BlasOffsets> calls; ///< none: the result is empty
    int64_t inner = 0;              ///< 0: the result is zeros
};

/// One loop over the batch, with its strides.
struct BatchLoop {
    int64_t extent = 1;
    int64_t left = 0;
    int64_t right = 0;
    int64_t result = 0;
};

/// Innermost last; the strides of the result are those of a dense tensor.
std::vector<BatchLoop> batchLoops(target::MatrixWorkload const& workload);

/// Folds inner loops along which only the left operand moves into its rows. Returns the row count.
int64_t foldRows(target::MatrixWorkload const& workload, std::vector<BatchLoop>& loops);

/// Each call is a strided batch along the longest batch loop. Batch elements that share the right
/// operand become rows of the left operand if they are contiguous in it.
MatrixProduct matrixProduct(target::MatrixWorkload const& workload);

} // namespace kiln::targets::cuda
