// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::python {

/// Counts how often Python alters a tensor descriptor, or a shape, which may be part of one. While
/// the count is unchanged, descriptors that were passed to Python need no check. Needs the GIL.
inline constinit uint64_t descriptorChanges = 0;

} // namespace kiln::python
