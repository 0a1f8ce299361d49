// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/bytes.h"

namespace kiln {

/// Gives free memory of the heap back to the system, where the C library can: freed blocks leave
/// gaps, which larger blocks and mappings cannot use.
void trimHeap() noexcept;

/// Takes the pages of read-only mapped files that lie wholly in `bytes` out of this process's
/// memory. The next access reads them again, as a rule from the system's cache of the file. Other
/// memory, and pages that the process changed, stay as they are.
void releaseFilePages(ByteView bytes) noexcept;

/// Counts memory that is freed, and trims the heap each time it amounts to kTrimAfter.
class HeapTrimmer {
public:
    static constexpr std::size_t kTrimAfter = std::size_t{16} << 20;

    void freed(std::size_t bytes) noexcept {
        freed_ += bytes;
        if (freed_ >= kTrimAfter) {
            trimHeap();
            freed_ = 0;
        }
    }

private:
    std::size_t freed_ = 0;
};

} // namespace kiln
