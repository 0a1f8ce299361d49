// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/candidate.h"

namespace kiln::target {

double bytesMoved(NodeSpec const& node) {
    double total = 0.0;
    auto const add = [&](std::span<OperandSpec const> operands) {
        for (OperandSpec const& operand : operands) {
            double count = operand.isAbsent() ? 0.0 : 1.0;
            for (int32_t i = 0; i < operand.opt.nbDims; ++i) {
                count *= static_cast<double>(operand.opt.d[i]);
            }
            total += count * bitsOf(operand.type.type) / 8.0;
        }
    };
    add(node.inputs);
    add(node.outputs);
    return total;
}

} // namespace kiln::target
