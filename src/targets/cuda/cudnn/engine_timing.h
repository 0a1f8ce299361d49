// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "targets/cuda/cudnn/convolution_graph.h"

namespace kiln::targets::cuda {

/// Times cuDNN's engines for a convolution on this process's GPU and returns the fastest one; none
/// if no engine runs it in one graph. The heuristic's first configurations are tried, for a limited
/// time: an engine may be compiled when its plan is made. The process caches the answers.
std::optional<EngineChoice> fastestEngine(ConvolutionDescription const& description,
                                          std::size_t workspaceBytes);

} // namespace kiln::targets::cuda
