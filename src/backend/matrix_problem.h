// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/candidate.h"
#include "backend/nest.h"
#include "graph/ops/matrix_multiply.h"

namespace kiln::backend {

/// A MatrixMultiply at known shapes: [rows, inner] x [inner, columns] for each batch element.
struct MatrixProblem {
    /// Strides in elements; 0 for the axis that a vector does not have.
    struct Strides {
        int64_t kept = 0;   ///< along the rows of operand 0, the columns of operand 1
        int64_t summed = 0; ///< along the inner axis
    };
    int64_t rows = 1;
    int64_t columns = 1;
    int64_t inner = 1;
    Strides left;
    Strides right;
    Nest<2> batch;
};

MatrixProblem matrixProblem(graph::MatrixMultiply const& op, Dims const& left, Dims const& right,
                            Dims const& result);

/// Multiplications and additions at the optimum shapes.
double matrixOperations(graph::MatrixMultiply const& op, NodeSpec const& node);

} // namespace kiln::backend
