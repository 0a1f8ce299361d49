// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/map_formats.h"

#include "base/error.h"

namespace kiln::target {

std::string refuseMapFormats(OperandType const& input, OperandType const& output, int32_t rank) {
    TensorFormat const last = rank == 4   ? TensorFormat::kHWC
                              : rank == 5 ? TensorFormat::kDHWC
                                          : TensorFormat::kLINEAR;
    bool const known = input.format == TensorFormat::kLINEAR || input.format == last;
    return known && input.format == output.format && input.tag == 0 && output.tag == 0
               ? std::string()
               : fmt::format("expected linear operands or channels last, got {} and {}",
                             nameOf(input.format), nameOf(output.format));
}

} // namespace kiln::target
