// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/bytes.h"
#include "targets/cuda/cudnn/convolution_graph.h"

namespace kiln::targets::cuda {

/// An engine that was timed, and what its plan needs.
struct TimedEngine {
    EngineChoice choice;
    std::size_t workspaceBytes = 0;
    Bytes prepared; ///< ConvolutionPlan::prepared()
};

/// Times cuDNN's engines for a convolution on this process's GPU and returns the fastest one, or
/// one that is almost as fast with less workspace; none if no engine runs it in one graph. The
/// heuristic's first configurations are tried, for a limited time: an engine may be compiled when
/// its plan is made. The process caches the answers.
std::optional<TimedEngine> fastestEngine(ConvolutionDescription const& description,
                                         std::size_t workspaceBytes);

} // namespace kiln::targets::cuda
