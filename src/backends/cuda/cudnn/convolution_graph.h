// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/cuda/cudnn/convolution_description.h"
#include "backends/cuda/cudnn/descriptor.h"

namespace kiln::backends::cuda {

/// Names of the operands in a graph, and so in what a run binds.
enum ConvolutionOperand : int64_t {
    kInputOperand = 1,
    kKernelOperand,
    kOutputOperand,
    kBiasOperand,
    kSumOperand, ///< between convolution and bias, never in memory
};

/// How the bias comes in.
enum class BiasWay {
    kNone,   ///< there is none
    kFused,  ///< a second operation of the graph adds it
    kFilled, ///< the output holds it already: output += convolution
};

/// Operands of cuDNN's kernels begin at multiples of this.
constexpr int64_t kCudnnAlignment = 16;

/// cuDNN's description of a convolution. Throws kUnsupported in its words.
class ConvolutionGraph {
public:
    ConvolutionGraph(ConvolutionDescription const& description, BiasWay way);

    /// Configurations of engines, best first: those that compute in float32 and round once, by its
    /// heuristic, then its slower ones for all cases.
    std::vector<Descriptor> configurations() const;

private:
    void addBias(ConvolutionDescription const& description);
    bool isExact(Descriptor const& configuration) const;

    DataType type_;
    std::vector<Descriptor> parts_; ///< which the graph refers to
    Descriptor convolution_;
    Descriptor bias_;
    Descriptor graph_;
};

} // namespace kiln::backends::cuda
