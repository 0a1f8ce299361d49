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

} // namespace kiln
