// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "targets/cpu/product_tail.h"
#include "targets/cpu/winograd/convolution.h"

namespace kiln::targets::cpu {

/// The convolution of a node, an op of its own or the first one of a region.
struct WinogradParts {
    graph::Convolution const* convolution = nullptr;
    std::vector<std::size_t> inputs; ///< of the convolution: inputs of the kernel
    Tail tail;                       ///< behind the convolution, without limits of the results
    float least = -std::numeric_limits<float>::infinity();
    float most = std::numeric_limits<float>::infinity();
    std::string refusal;

    std::size_t kernelAt() const;
    std::size_t biasAt() const; ///< 0: none
};

/// `op` must outlive the parts.
WinogradParts winogradParts(graph::Op const& op, std::size_t inputs);

target::ConvolutionWorkload winogradWorkload(WinogradParts const& parts,
                                             target::Workload const& workload);

struct WinogradState {
    WinogradConvolution plan;
    std::size_t biasAt = 0;
    float const* weights = nullptr;
    float least = 0.0F;
    float most = 0.0F;
    ProductTail tail;
};

/// Why so many weights do not fit; empty if they do.
std::string winogradSizeProblem(int64_t side, int64_t maps, int64_t channels);

/// Why these operands do not fit; empty if they do. Sets all of `state` but the weights and what
/// depends on the number of slots.
std::string winogradProblem(WinogradParts const& parts, target::Workload const& workload,
                            int64_t side, WinogradState& state);

} // namespace kiln::targets::cpu
