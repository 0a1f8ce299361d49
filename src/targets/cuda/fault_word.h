// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::targets::cuda {

/// A number in pinned memory that a kernel writes and the host reads without calling the driver. It
/// stays 0 unless a kernel finds invalid operand values.
class FaultWord {
public:
    /// Throws kOutOfMemory. If plans are only built, the word is ordinary memory.
    FaultWord();
    ~FaultWord();
    FaultWord(FaultWord const&) = delete;
    FaultWord& operator=(FaultWord const&) = delete;

    int64_t* address() const noexcept { return word_; }
    int64_t value() const noexcept { return *static_cast<int64_t volatile*>(word_); }
    /// Returns the value and resets it to 0.
    int64_t take() const noexcept;

private:
    int64_t* word_ = nullptr;
};

} // namespace kiln::targets::cuda
