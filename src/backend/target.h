// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::backend {

/// What engines are built for, as users write it: "cpu", "cuda:sm_90", "cuda:sm_80+sm_90".
struct Target {
    std::string name;
    std::vector<std::string> architectures; ///< sorted, each once; empty: those of this machine

    std::string text() const;
};

/// Throws kInvalidArgument, with the place, for a text of another form. Which names and which
/// architectures there are is for the registry and the backends to say.
Target parseTarget(std::string_view text);

/// "cuda" of "cuda:sm_90".
std::string_view nameOfTarget(std::string_view text) noexcept;

} // namespace kiln::backend
