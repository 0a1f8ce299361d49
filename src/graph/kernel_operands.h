// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that convolution and deconvolution share. Their kernel and bias are weights of the layer,
// or operands 1 and 2.
#pragma once

#include "graph/op.h"

namespace kiln::graph {

/// Describes invalid numbers of output maps and groups; empty if they are valid.
std::string mapsProblem(int64_t maps, int64_t groups);

/// Throws kInvalidArgument unless the kernel comes from one of both places, the operands are of one
/// floating-point type, and their number fits the weights.
void expectKernelOperands(InferContext const& context, std::string_view kind, bool ownKernel,
                          bool ownBias);

/// The number of input channels; -1: unknown. Throws kInvalidArgument unless the groups divide the
/// input channels and the output maps.
int64_t expectGroups(InferContext const& context, std::string_view kind, int64_t maps,
                     int64_t groups);

/// Throws kInvalidArgument unless a bias, if there is one, has a value for each output map.
void expectBias(InferContext const& context, std::string_view kind, nvinfer1::Weights const& bias,
                int64_t maps);

} // namespace kiln::graph
