// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/operand_memory.h"

#include <algorithm>

namespace kiln::compiler {

void* OperandMemory::take(std::size_t position, std::size_t bytes) {
    Kept& kept = kept_[position];
    if (kept.bytes < bytes) {
        kept = {}; // the next one takes its place
        expect(bytes);
        kept.buffer = runtime::DeviceBuffer(*program_.device, bytes, "an operand of a timed layer",
                                            program_.options.memory);
        kept.bytes = bytes;
    }
    return kept.buffer.data();
}

OperandMemory::Buffer OperandMemory::constant(ByteView elements, std::size_t copy) {
    auto& known = constants_[{elements.data(), elements.size(), copy}];
    Buffer buffer = known.lock();
    if (buffer == nullptr) {
        std::size_t const bytes = std::max<std::size_t>(elements.size(), 1);
        expect(bytes);
        buffer = std::make_shared<runtime::DeviceBuffer>(
            *program_.device, bytes, "a constant of a timed layer", program_.options.memory);
        program_.device->copy(buffer->data(), elements.data(), elements.size(),
                              target::CopyKind::kHostToDevice, nullptr);
        known = buffer;
    }
    return buffer;
}

void OperandMemory::expect(std::size_t bytes) {
    if (peak_ != nullptr) {
        peak_->expect(bytes, read_);
    }
}

uint64_t OperandMemory::bytes() const noexcept {
    uint64_t bytes = 0;
    for (auto const& [position, kept] : kept_) {
        bytes += kept.bytes;
    }
    return bytes;
}

} // namespace kiln::compiler
