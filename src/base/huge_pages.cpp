// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace kiln {

void useHugePages(void* memory, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    auto const begin = reinterpret_cast<std::uintptr_t>(memory);
    std::size_t const skipped = (kHugePage - begin % kHugePage) % kHugePage;
    if (skipped + kHugePage <= bytes) {
        ::madvise(static_cast<std::byte*>(memory) + skipped,
                  (bytes - skipped) / kHugePage * kHugePage, MADV_HUGEPAGE);
    }
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

} // namespace kiln
