// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::target {

/// The target of an engine build, in the user's notation: "cpu", "cuda:sm_90", "cuda:sm_80+sm_90".
struct Target {
    std::string name;
    std::vector<std::string> architectures; ///< sorted, without duplicates; empty: this machine's

    std::string text() const;
};

/// Throws kInvalidArgument with the position of a syntax error. The registry checks the name, the
/// backend the architectures.
Target parseTarget(std::string_view text);

/// "cuda" of "cuda:sm_90".
std::string_view nameOfTarget(std::string_view text) noexcept;

} // namespace kiln::target
