// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "target/workload/convolution.h"
#include "targets/cuda/anchor/anchored_region.h"
#include "targets/cuda/cudnn/cudnn_types.h"

namespace kiln::targets::cuda {

/// Extents and strides of one operand.
struct DenseTensor {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// A pointwise operation on the value before it, as described to cuDNN.
struct ConvolutionStep {
    cudnnPointwiseMode_t mode = CUDNN_POINTWISE_ADD;
    std::optional<double> low = {};  ///< of a clipping ReLU
    std::optional<double> high = {}; ///< of a clipping ReLU
    double slope = 0.0;              ///< of a leaky ReLU, below 0
    double alpha = 1.0;              ///< of ELU
    int32_t operand = -1;            ///< number of the other operand; -1: none
    bool operandFirst = false;       ///< the other operand comes first
    bool twice = false;              ///< both operands are the value
};

/// The operation for cuDNN; nullopt if it has none that computes the same. `operand` stays -1.
std::optional<ConvolutionStep> describeStep(ChainStep const& step);

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
    bool channelsLast = false; ///< all operands, the kernel included
    bool tf32 = false;         ///< operands of float32 may be rounded to TF32
    bool isProduct = false;    ///< of matrices, with operations behind that only cuDNN has
    std::vector<ConvolutionStep> steps;
    std::vector<DenseTensor> operands; ///< of the steps; extents may be 1 where they repeat

    /// The complete description as text: equal texts mean equal convolutions.
    std::string text() const;
};

/// The padding after the input is the padding before it if that gives the same output, else the
/// minimum that the output needs.
ConvolutionDescription describeConvolution(target::ConvolutionWorkload const& workload,
                                           DataType type, bool channelsLast = false);

/// Adds an operand of the steps, and returns its number.
int32_t addOperand(ConvolutionDescription& description, Dims const& dims);

/// cuDNN's engines for channels last read groups of 8 channels: a 16-bit input with other channels
/// is padded with zeros. Returns whether it is.
bool padChannels(ConvolutionDescription& description, int64_t groups);

/// Whether each axis has the same padding on both sides.
bool isSymmetric(ConvolutionDescription const& description);

} // namespace kiln::targets::cuda
