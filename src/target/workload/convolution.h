// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/convolution.h"
#include "target/candidate.h"
#include "target/workload/workload.h"

namespace kiln::target {

/// A Convolution at known shapes.
struct ConvolutionWorkload {
    /// One spatial axis.
    struct Axis {
        int64_t input = 1;
        int64_t output = 1;
        int64_t size = 1;
        int64_t stride = 1;
        int64_t dilation = 1;
        int64_t before = 0; ///< padding
        int64_t after = 0;

        /// Input position of an output position and a kernel position; may be outside the input.
        int64_t inputOf(int64_t position, int64_t tap) const noexcept {
            return position * stride - before + tap * dilation;
        }
    };
    int64_t batch = 0;
    int64_t groups = 1;
    int64_t channels = 0; ///< of one group
    int64_t maps = 0;     ///< of all groups
    int32_t axes = 2;     ///< spatial ones
    Axis depth;           ///< extent 1 if there are fewer than three spatial axes
    Axis height;
    Axis width;
    std::size_t kernelAt = 1; ///< operand numbers
    std::size_t biasAt = 0;   ///< 0: none

    /// Number of kernel elements that contribute to one output element.
    int64_t patchSize() const noexcept { return channels * depth.size * height.size * width.size; }
    /// Elements in one channel of the input, and in one map of the output.
    int64_t inputPlane() const noexcept { return depth.input * height.input * width.input; }
    int64_t outputPlane() const noexcept { return depth.output * height.output * width.output; }
};

ConvolutionWorkload convolutionWorkload(graph::Convolution const& op, Workload const& workload);

/// Multiplications and additions at the optimum shapes.
double convolutionOperations(graph::Convolution const& op, NodeSpec const& node);

} // namespace kiln::target
