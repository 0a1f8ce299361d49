// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/unary.h"

namespace kiln::targets::cuda {

/// The name of a function in kernels/activation_functions.cuh, elementwise_functions.cuh and
/// unary_functions.cuh.
char const* functionName(nvinfer1::ActivationType type);
char const* functionName(nvinfer1::ElementWiseOperation operation);
char const* functionName(nvinfer1::UnaryOperation operation);

} // namespace kiln::targets::cuda
