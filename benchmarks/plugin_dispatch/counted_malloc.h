// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Calls of malloc, calloc and realloc by this process so far, libraries included: the program
/// replaces these functions by ones that count.
int64_t allocationCount() noexcept;
