// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::backends::cuda {

/// A number that a kernel writes and the host reads without asking the driver: pinned memory. It
/// stays 0 unless a kernel meets operand values that it can not work with.
class FaultWord {
public:
    /// Throws kOutOfMemory. Where plans are only built, the word is plain memory.
    FaultWord();
    ~FaultWord();
    FaultWord(FaultWord const&) = delete;
    FaultWord& operator=(FaultWord const&) = delete;

    int64_t* address() const noexcept { return word_; }
    int64_t value() const noexcept { return *static_cast<int64_t volatile*>(word_); }
    /// The value, which is 0 afterwards.
    int64_t take() const noexcept;

private:
    int64_t* word_ = nullptr;
};

} // namespace kiln::backends::cuda
