// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kiln::api {

/// The JSON text of kiln::describeTarget(). Does not throw if the target cannot be opened.
std::string targetDescription(std::string_view target);

} // namespace kiln::api
