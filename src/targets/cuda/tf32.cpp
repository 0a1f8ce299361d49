// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/tf32.h"

#include <cstdlib>
#include <string_view>

namespace kiln::targets::cuda {

std::string refuseUnlessTf32(target::NodeSpec const& node) {
    if (node.inputs.empty() || node.inputs[0].type.type != DataType::kFLOAT) {
        return "expected operands of float32, for TF32";
    }
    if (!node.allowTf32) {
        return "TF32 is not allowed";
    }
    char const* const text = std::getenv("NVIDIA_TF32_OVERRIDE");
    return text != nullptr && std::string_view(text) == "0" ? "NVIDIA_TF32_OVERRIDE forbids TF32"
                                                            : std::string();
}

} // namespace kiln::targets::cuda
