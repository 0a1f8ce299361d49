// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::plugin {

/// The number of elements, in the type of plugin callbacks.
inline int32_t countOf(auto const& span) {
    return static_cast<int32_t>(span.size());
}

} // namespace kiln::plugin
