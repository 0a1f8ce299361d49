// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "plugin/code/code_info.h"

namespace kiln::plugin {

/// Reads PTX text. Throws as inspectCode() does.
CodeInfo inspectPtx(std::string_view text);

} // namespace kiln::plugin
