// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Number of calls of malloc, calloc and realloc by this process, libraries included. The program
/// replaces these functions with counting ones.
int64_t allocationCount() noexcept;
