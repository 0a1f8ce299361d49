// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kiln::python {

/// A warning that belongs to no builder, runtime or parser. Needs the GIL.
void warn(std::string const& text);

/// The same, the first time only.
void warnOnce(std::string const& text);

} // namespace kiln::python
