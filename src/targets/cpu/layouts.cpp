// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/layouts.h"

namespace kiln::targets::cpu {

std::span<target::Layout const> layouts() {
    static target::Layout const all[] = {
        {1, "hwc padded to 4", TensorFormat::kHWC, {3, true, 4}},
        {2, "hwc padded to 8", TensorFormat::kHWC, {3, true, 8}},
    };
    return all;
}

std::optional<FormatTraits> operandTraits(target::OperandType const& type, int32_t rank) {
    return target::traitsIn(layouts(), type, rank);
}

} // namespace kiln::targets::cpu
