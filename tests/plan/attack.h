// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "plan/document.h"

namespace kiln::plan::testing {

/// A change that makes a document contradictory, and a part of the message that refuses it.
struct Attack {
    char const* name;
    void (*change)(Document&);
    char const* expected;
};

inline std::ostream& operator<<(std::ostream& out, Attack const& attack) {
    return out << attack.name;
}

/// For INSTANTIATE_TEST_SUITE_P.
inline constexpr auto kNameOf = [](auto const& info) { return std::string(info.param.name); };

} // namespace kiln::plan::testing
