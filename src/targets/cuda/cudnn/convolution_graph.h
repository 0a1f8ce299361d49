// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "targets/cuda/cudnn/convolution_description.h"
#include "targets/cuda/cudnn/descriptor.h"

namespace kiln::targets::cuda {

/// Unique ids of the operands, in a graph and in the variant pack of a run.
enum ConvolutionOperand : int64_t {
    kInputOperand = 1,
    kKernelOperand,
    kOutputOperand,
    kBiasOperand,
    kSumOperand, ///< between convolution and bias, never in memory
};

/// How the bias is added.
enum class BiasWay {
    kNone,   ///< no bias
    kFused,  ///< a second operation of the graph adds it
    kFilled, ///< the output is filled with the bias first: output += convolution
};

/// Alignment in bytes that cuDNN's kernels need for operands.
constexpr int64_t kCudnnAlignment = 16;

/// cuDNN's operation graph of a convolution. Throws kUnsupported with cuDNN's text.
class ConvolutionGraph {
public:
    ConvolutionGraph(ConvolutionDescription const& description, BiasWay way);

    /// Engine configurations, best first: those of cuDNN's heuristic, then its slower fallbacks.
    /// Only those that compute in float32 and round once.
    std::vector<Descriptor> configurations() const;

private:
    void addBias(ConvolutionDescription const& description);
    bool isExact(Descriptor const& configuration) const;

    DataType type_;
    std::vector<Descriptor> parts_; ///< referenced by the graph
    Descriptor convolution_;
    Descriptor bias_;
    Descriptor graph_;
};

} // namespace kiln::targets::cuda
