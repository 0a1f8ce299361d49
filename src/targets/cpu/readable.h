// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln::targets::cpu {

/// Whether the process can read the aligned 8-byte word that contains the address. A system call.
bool canRead(void const* address) noexcept;

/// Whether the CUDA driver is loaded, so that addresses may be a GPU's; these look like any other.
/// About 50 ns while it is not loaded.
bool gpuAddressesExist() noexcept;

} // namespace kiln::targets::cpu
