// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kiln::backend {

/// While it lives, code that is called back on this thread may ask what it compiles for. Scopes
/// nest: the innermost one answers.
class BuildTargetScope {
public:
    /// One target and one architecture of it: "cuda", "sm_90".
    BuildTargetScope(std::string_view target, std::string_view architecture);
    ~BuildTargetScope();
    BuildTargetScope(BuildTargetScope const&) = delete;
    BuildTargetScope& operator=(BuildTargetScope const&) = delete;

private:
    std::string outer_;
};

/// What this thread builds code for, such as "cuda:sm_90"; empty outside of any scope.
std::string const& buildTarget() noexcept;

} // namespace kiln::backend
