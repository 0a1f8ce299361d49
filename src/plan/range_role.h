// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kiln::plan {

/// Behind the name of a tensor: the source (WeightRecord::name) that is the scale of its dynamic
/// range. No layer has weights of this role.
inline constexpr std::string_view kRangeRole = "/range";

} // namespace kiln::plan
