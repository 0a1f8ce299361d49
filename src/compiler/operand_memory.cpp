// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/operand_memory.h"

namespace kiln::compiler {

OperandMemory::Buffer OperandMemory::take(std::size_t position, std::size_t bytes) {
    Kept& kept = kept_[position];
    if (kept.buffer == nullptr || kept.bytes < bytes) {
        kept.buffer.reset(); // unless it is in use, the next one takes its place
        kept.bytes = 0;
        kept.buffer = std::make_shared<runtime::DeviceBuffer>(
            *program_.device, bytes, "an operand of a timed layer", program_.options.memory);
        kept.bytes = bytes;
    }
    return kept.buffer;
}

uint64_t OperandMemory::bytes() const noexcept {
    uint64_t bytes = 0;
    for (auto const& [position, kept] : kept_) {
        bytes += kept.bytes;
    }
    return bytes;
}

} // namespace kiln::compiler
