// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! How an IMatrixMultiplyLayer interprets one of its inputs.
enum class MatrixOperation : int32_t {
    kNONE = 0,      //!< Matrices: the last two axes are [rows, columns].
    kTRANSPOSE = 1, //!< Matrices, transposed: the last two axes are [columns, rows].
    kVECTOR = 2,    //!< Vectors along the last axis: rows for input 0, columns for input 1.
};

//! Number of values of MatrixOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<MatrixOperation>() noexcept {
    return 3;
}

//! Matrix product of two tensors, for each index of the leading axes.
//!
//! Input 0:  [batch..., m, k] (kTRANSPOSE: [batch..., k, m]; kVECTOR: [batch..., k]).
//! Input 1:  [batch..., k, n] (kTRANSPOSE: [batch..., n, k]; kVECTOR: [batch..., k]).
//! Output 0: [batch..., m, n]; the axis of a vector is absent.
//!
//! Both inputs have the same number of batch axes; along each, extents are equal or one of them is
//! 1 and is broadcast. Types: kFLOAT, kHALF or kBF16, the same for all.
class IMatrixMultiplyLayer : public ILayer {
public:
    ~IMatrixMultiplyLayer() noexcept override = default;

    //! Sets the operation on input `index` (0 or 1).
    virtual void setOperation(int32_t index, MatrixOperation op) noexcept = 0;

    //! The operation on input `index` (0 or 1).
    virtual MatrixOperation getOperation(int32_t index) const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
