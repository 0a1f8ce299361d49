// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace kiln::test {

/// Switches a part of the compiler off for the builds in a scope, for tests that are about single
/// layers: "KILN_FUSION" (no regions) or "KILN_REWRITE" (no patterns, views or regions).
class SwitchedOff {
public:
    explicit SwitchedOff(char const* variable) : variable_(variable) {
        ::setenv(variable_, "0", 1);
    }
    ~SwitchedOff() { ::unsetenv(variable_); }
    SwitchedOff(SwitchedOff const&) = delete;
    SwitchedOff& operator=(SwitchedOff const&) = delete;

private:
    char const* variable_;
};

} // namespace kiln::test
