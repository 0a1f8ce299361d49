// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cpu/op_kernel.h"
#include "graph/ops/convolution.h"

namespace kiln::backends::cpu {

/// A Convolution at known shapes.
struct ConvolutionProblem {
    /// One spatial axis.
    struct Axis {
        int64_t input = 1;
        int64_t output = 1;
        int64_t size = 1;
        int64_t stride = 1;
        int64_t dilation = 1;
        int64_t before = 0; ///< padding

        /// Where an output position and a kernel position meet the input; may lie outside of it.
        int64_t inputOf(int64_t position, int64_t tap) const noexcept {
            return position * stride - before + tap * dilation;
        }
    };
    int64_t batch = 0;
    int64_t groups = 1;
    int64_t channels = 0; ///< of one group
    int64_t maps = 0;     ///< of all groups
    Axis depth;           ///< of extent 1 where there are fewer than three spatial axes
    Axis height;
    Axis width;
    std::size_t kernelAt = 1; ///< operand numbers
    std::size_t biasAt = 0;   ///< 0: none

    /// Kernel elements that one output element sees.
    int64_t patchSize() const noexcept { return channels * depth.size * height.size * width.size; }
    /// Elements of one channel of the input, of one map of the output.
    int64_t inputPlane() const noexcept { return depth.input * height.input * width.input; }
    int64_t outputPlane() const noexcept { return depth.output * height.output * width.output; }
};

ConvolutionProblem convolutionProblem(graph::Convolution const& op, Problem const& problem);

/// Multiplications and additions at the optimum shapes.
double convolutionOperations(graph::Convolution const& op, NodeSpec const& node);

} // namespace kiln::backends::cpu
