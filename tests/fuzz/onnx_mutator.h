// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

/// Changes one field of a serialized ONNX model: a number to one that readers stumble over, a list
/// of numbers by an element, a name to another of the model, an operator to another one; or it
/// repeats, drops or moves a field. The lengths around it stay right, so that the change is read.
void mutateOnnx(std::vector<std::byte>& model, std::mt19937_64& random);
