// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln::backends::cpu {

/// Whether this process can read the byte at an address; true where the system does not tell. A GPU
/// has addresses, too, which look like any other. About 0.3 us.
bool canRead(void const* address) noexcept;

} // namespace kiln::backends::cpu
