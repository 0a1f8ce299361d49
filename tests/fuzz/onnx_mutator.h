// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

/// Changes one field of a serialized ONNX model: a number to an edge case, an element of a list of
/// numbers, a name to another one of the model, or an operator to another one; or it repeats, drops
/// or moves a field. The enclosing lengths stay right, so that readers reach the change.
void mutateOnnx(std::vector<std::byte>& model, std::mt19937_64& random);
