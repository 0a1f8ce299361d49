// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of quantized_product.cuh.
#pragma once

#include "prelude.cuh"

/// One spatial axis of a convolution.
struct Axis {
    int32_t input;
    int32_t output;
    int32_t size;
    int32_t stride;
    int32_t dilation;
    int32_t before; ///< padding
};

/// One loop over products: the steps in bytes of the operands, and in rows and columns of the
/// result.
struct Loop {
    int32_t extent;
    int64_t left;
    int64_t right;
    int64_t row;
    int64_t column;
};

/// Same layout as in quantized/quantized_product.cpp.
struct Arguments {
    int64_t rows;        ///< of one product
    int64_t allRows;     ///< of the result
    int64_t leftRow;     ///< bytes from row to row; of a convolution, from position to position
    int64_t leftTerm;    ///< from term to term
    int64_t rightColumn; ///< from column to column
    int64_t rightTerm;
    int64_t resultRow; ///< elements from row to row
    int32_t columns;   ///< of one product
    int32_t terms;     ///< of a tap
    int32_t paddedTerms; ///< of a tap, a multiple of 16
    int32_t taps;        ///< of the window; 0: no convolution
    int32_t steps;       ///< of 64 terms
    int32_t packed;      ///< the right operand has paddedTerms terms
    int32_t wideLeft;    ///< words of 16 bytes may be copied if the operand is aligned
    int32_t wideRight;
    int32_t wideResults; ///< four neighbours may be stored at once if the result is aligned
    int32_t scaleColumn; ///< 1: a scale for each column, 0: one for all
    int32_t loops;
    Axis depth;
    Axis height;
    Axis width;
    Loop batch[8];
    int64_t rowStrides[8]; ///< of the operands behind; 0: the same for all rows
    int32_t columnStrides[8];
};
