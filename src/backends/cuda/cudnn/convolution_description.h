// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/convolution_problem.h"
#include "base/dtype.h"

namespace kiln::backends::cuda {

/// Extents and strides of one operand.
struct DenseTensor {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// A convolution as cuDNN takes it: two or three spatial axes (a line is an image of height 1).
struct ConvolutionDescription {
    DataType type = DataType::kFLOAT;
    DenseTensor input;  ///< [batch, channels, spatial...]
    DenseTensor kernel; ///< [maps, channels of a group, spatial...]
    DenseTensor output; ///< [batch, maps, spatial...]
    DenseTensor bias;   ///< [1, maps, 1...]
    std::vector<int64_t> stride;
    std::vector<int64_t> dilation;
    std::vector<int64_t> before; ///< padding
    std::vector<int64_t> after;
    bool hasBias = false;

    /// All of it: equal texts are equal problems.
    std::string text() const;
};

/// Padding behind the input is what the output needs; where as much as in front of the input gives
/// the same output, it is that.
ConvolutionDescription describeConvolution(backend::ConvolutionProblem const& problem,
                                           DataType type);

/// Whether each axis has the same padding on both sides.
bool isSymmetric(ConvolutionDescription const& description);

} // namespace kiln::backends::cuda
