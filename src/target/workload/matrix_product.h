// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/matrix_multiply.h"
#include "target/candidate.h"
#include "target/nest.h"

namespace kiln::target {

/// A MatrixMultiply at known shapes: [rows, inner] x [inner, columns] for each batch element.
struct MatrixWorkload {
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

MatrixWorkload matrixWorkload(graph::MatrixMultiply const& op, Dims const& left, Dims const& right,
                              Dims const& result);

/// Multiplications and additions at the optimum shapes.
double matrixOperations(graph::MatrixMultiply const& op, NodeSpec const& node);

} // namespace kiln::target
