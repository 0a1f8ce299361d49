// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/matrix_problem.h"

namespace kiln::backends::cuda {

/// One matrix as BLAS sees it: column by column.
struct BlasMatrix {
    int64_t rows = 1; ///< as stored
    int64_t columns = 1;
    int64_t leading = 1; ///< elements from one column to the next
    bool transposed = false;
    int64_t batchStride = 0;

    bool operator==(BlasMatrix const&) const = default;
};

/// Where the operands of one call begin, in elements.
struct BlasOffsets {
    int64_t a = 0;
    int64_t b = 0;
    int64_t c = 0;

    bool operator==(BlasOffsets const&) const = default;
};

/// A matrix multiplication as calls of BLAS: c = a * b for `batch` matrices each.
///
/// What lies row by row is a transposed matrix column by column, so that c^T = right^T * left^T is
/// computed; a single column is computed as it is, as BLAS has its matrix-vector products.
struct MatrixProduct {
    bool swapped = true; ///< a is the right operand
    BlasMatrix a;
    BlasMatrix b;
    BlasMatrix c;
    int64_t batch = 1;
    std::vector<BlasOffsets> calls; ///< none: the result is empty
    int64_t inner = 0;              ///< 0: the result is zeros
};

/// Batches are calls with a stride, as many at once as the strides allow. Those that share the
/// right operand are more rows of the left one where it has them one after another.
MatrixProduct matrixProduct(backend::MatrixProblem const& problem);

} // namespace kiln::backends::cuda
