// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::python {

/// How often Python has altered a tensor descriptor, or a shape, which may be part of one. Who
/// handed descriptors out and finds the count as it was need not look at each. Needs the GIL.
inline constinit uint64_t alterations = 0;

} // namespace kiln::python
