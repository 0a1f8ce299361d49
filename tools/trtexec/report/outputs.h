// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "logger.h"
#include "run/tensor_buffer.h"

namespace kiln::trtexec {

/// Prints name, shape and values of each tensor.
void dumpTensors(std::vector<TensorBuffer const*> const& tensors, Logger& logger);

/// Writes the bytes of each tensor to a file such as "x.1x10.FLOAT.raw" in the current folder.
void dumpRawTensors(std::vector<TensorBuffer const*> const& tensors, Logger& logger);

/// A JSON list of {"name", "dimensions": "1x10", "values": [...]}, in the order given. NaN and
/// infinities are written as NaN, Infinity and -Infinity, like Python's json module.
std::string tensorsAsJson(std::vector<TensorBuffer const*> const& tensors);

} // namespace kiln::trtexec
