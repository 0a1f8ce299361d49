// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "target/candidate.h"

namespace kiln::targets::cuda {

/// Kernels that round operands of float32 to TF32 (the range of float32, 10 bits behind the point)
/// refuse all nodes but those that allow it and have such operands. NVIDIA_TF32_OVERRIDE=0 in the
/// environment forbids it, as in NVIDIA's libraries.
std::string refuseUnlessTf32(target::NodeSpec const& node);

} // namespace kiln::targets::cuda
