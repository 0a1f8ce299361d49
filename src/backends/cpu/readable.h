// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln::backends::cpu {

/// Whether the process can read the word of 8 bytes that an address lies in; asks the system.
bool canRead(void const* address) noexcept;

/// Whether a library that hands out addresses of a GPU, which look like any other, is loaded. About
/// 50 ns while there is none.
bool gpuAddressesExist() noexcept;

} // namespace kiln::backends::cpu
