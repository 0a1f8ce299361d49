// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kiln {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Asks the system for huge pages where whole ones lie in this memory. The first access to a page
/// costs more than writing it, and kernels that pass through large memory look up fewer of them.
/// The system may refuse.
void useHugePages(void* memory, std::size_t bytes) noexcept;

/// Zeros at a multiple of kHugePage, with huge pages. They come from the system and return to it,
/// so that large memory which is freed leaves no gap in the heap. Null if there is none.
void* mapMemory(std::size_t bytes) noexcept;
/// `bytes` as they were given to mapMemory().
void unmapMemory(void* memory, std::size_t bytes) noexcept;

} // namespace kiln
