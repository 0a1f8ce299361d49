// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/cuda/cudnn/convolution_graph.h"

namespace kiln::backends::cuda {

/// A convolution that cuDNN is ready to run, for one context. Which engine does it is decided once
/// in this process; plans are made from that for each context, because cuDNN does not promise that
/// two threads may run one.
class ConvolutionPlan {
public:
    /// Operands of a run.
    struct Pointers {
        void const* input = nullptr;
        void const* kernel = nullptr;
        void const* bias = nullptr;
        void* output = nullptr;
        void* workspace = nullptr;

        bool operator==(Pointers const&) const = default;
    };

    /// Throws kUnsupported, with cuDNN's last words, when no engine does it in so much workspace.
    ConvolutionPlan(ConvolutionDescription const& description, std::size_t workspaceBytes);

    /// How many choices of engines the process keeps at most, and now.
    static constexpr std::size_t kMostChosen = 256;
    static std::size_t chosen();

    BiasWay biasWay() const noexcept { return way_; }

    /// Puts it on the stream. Binding other pointers than last time takes a little longer.
    cudnnStatus_t run(Pointers const& pointers, CUstream stream) noexcept;

private:
    void bind(Pointers const& pointers);

    BiasWay way_ = BiasWay::kNone;
    std::shared_ptr<void const> choice_; ///< what the plan refers to
    Descriptor plan_;
    Descriptor pack_;
    Pointers bound_;
};

} // namespace kiln::backends::cuda
