// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/dtype.h"
#include "target/workload/convolution.h"

namespace kiln::targets::cuda {

/// Extents and strides of one operand.
struct DenseTensor {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// A convolution as described to cuDNN: two or three spatial axes (a line has height 1).
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

    /// The complete description as text: equal texts mean equal convolutions.
    std::string text() const;
};

/// The padding after the input is the padding before it if that gives the same output, else the
/// minimum that the output needs.
ConvolutionDescription describeConvolution(target::ConvolutionWorkload const& workload,
                                           DataType type);

/// Whether each axis has the same padding on both sides.
bool isSymmetric(ConvolutionDescription const& description);

} // namespace kiln::targets::cuda
