// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "targets/cuda/cudnn/convolution_graph.h"

namespace kiln::targets::cuda {

/// A cuDNN execution plan of a convolution, for one context. The choice of the engine is cached for
/// the process; each context has its own plan, because cuDNN does not guarantee that two threads
/// may run the same one.
class ConvolutionPlan {
public:
    static constexpr std::size_t kMostStepOperands = 8;

    /// Operands of a run.
    struct Pointers {
        void const* input = nullptr;
        void const* kernel = nullptr;
        void const* bias = nullptr;
        std::array<void const*, kMostStepOperands> operands = {}; ///< of the steps
        void* output = nullptr;
        void* workspace = nullptr;

        bool operator==(Pointers const&) const = default;
    };

    /// Takes the `stored` engine if this cuDNN has it, else the heuristic's best. Throws
    /// kUnsupported, with cuDNN's last error, if no engine fits the workspace.
    ConvolutionPlan(ConvolutionDescription const& description, std::size_t workspaceBytes,
                    std::optional<EngineChoice> const& stored = {});
    /// The plan that prepared() gave for this convolution in a place like this one; no engine is
    /// compiled. Throws kUnsupported if cuDNN does not take it.
    ConvolutionPlan(ConvolutionDescription const& description, std::size_t workspaceBytes,
                    ByteView prepared);
    /// The plan of one configuration of `graph`, for timing. Throws kUnsupported if it does not fit
    /// the workspace.
    ConvolutionPlan(std::shared_ptr<ConvolutionGraph const> graph, Descriptor const& configuration,
                    ConvolutionDescription const& description, std::size_t workspaceBytes);

    /// Number of engine choices in the process's cache: the maximum, and the current number.
    static constexpr std::size_t kMostChosen = 256;
    static std::size_t chosen();

    BiasWay biasWay() const noexcept { return way_; }
    /// The workspace that the engine uses.
    std::size_t workspaceBytes() const;
    /// The plan as bytes, with the code that cuDNN compiled for it; empty if cuDNN does not tell.
    Bytes prepared() const;
    /// Hash of all that prepared bytes depend on: the convolution and the kind of the current GPU.
    /// cuDNN's version comes on top.
    static uint64_t placeOf(ConvolutionDescription const& description);

    /// Enqueues the convolution on the stream. Binding new pointers takes a little longer.
    cudnnStatus_t run(Pointers const& pointers, CUstream stream) noexcept;

private:
    void bind(Pointers const& pointers);

    Gpu const& gpu_; ///< current when the plan was made
    std::size_t stepOperands_ = 0;
    bool hasBias_ = false;
    BiasWay way_ = BiasWay::kNone;
    std::shared_ptr<void const> choice_; ///< referenced by the plan
    Descriptor plan_;
    Descriptor pack_;
    Pointers bound_;
};

} // namespace kiln::targets::cuda
