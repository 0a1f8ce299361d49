// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kiln::api {

/// JSON, as kiln::describeTarget() documents it. Never throws for a target that does not open.
std::string targetDescription(std::string_view target);

} // namespace kiln::api
