// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
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
    kStepOperands = 16, ///< of the steps behind the convolution, in order
    kVirtual = 1024,    ///< values in between, never in memory
};

/// The engine of a configuration and its settings: what a plan stores.
struct EngineChoice {
    struct Knob {
        int32_t type = 0;
        int64_t value = 0;
    };
    int64_t engine = -1; ///< -1: cuDNN did not tell
    std::vector<Knob> knobs;
    int32_t position = 0; ///< among the configurations of the graph
};

/// What a configuration chooses; `position` is its own.
EngineChoice choiceOf(Descriptor const& configuration, int32_t position);

/// How the bias is added.
enum class BiasWay {
    kNone,   ///< no bias
    kFused,  ///< a second operation of the graph adds it; also if steps follow the convolution
    kFilled, ///< the output is filled with the bias first: output += convolution
};

/// The ways that fit the convolution, best first.
std::vector<BiasWay> biasWays(ConvolutionDescription const& description);

/// Alignment in bytes that cuDNN's kernels need for operands.
constexpr int64_t kCudnnAlignment = 16;

/// cuDNN's operation graph of a convolution. Throws kUnsupported with cuDNN's text.
class ConvolutionGraph {
public:
    ConvolutionGraph(ConvolutionDescription const& description, BiasWay way);

    /// Engine configurations, best first: those of cuDNN's heuristic, then its slower fallbacks.
    /// Only those that compute in float32 and round once, if not to TF32 on purpose.
    std::vector<Descriptor> configurations() const;
    /// The configuration that was chosen before, by its engine and settings, or by its position if
    /// cuDNN does not take these. Throws kUnsupported if there is none, or if it is not exact.
    Descriptor configurationOf(EngineChoice const& choice);

private:
    Descriptor configurationOf(EngineChoice const& choice, bool byPosition);
    void addConvolution(ConvolutionDescription const& description, Descriptor const& output,
                        float beta);
    void addSteps(ConvolutionDescription const& description, Descriptor* output);
    bool isExact(Descriptor const& configuration) const;
    Descriptor& part(Descriptor descriptor);

    bool mayRound_;                ///< operands, on their way to tensor cores
    std::deque<Descriptor> parts_; ///< referenced by the graph
    std::vector<cudnnBackendDescriptor_t> operations_;
    Descriptor graph_;
};

} // namespace kiln::targets::cuda
