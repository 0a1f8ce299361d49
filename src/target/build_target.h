// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kiln::target {

/// RAII: during its lifetime, callbacks on this thread can read the target that they compile for.
/// Scopes nest: the innermost one counts.
class BuildTargetScope {
public:
    /// A target and one of its architectures: "cuda", "sm_90".
    BuildTargetScope(std::string_view target, std::string_view architecture);
    ~BuildTargetScope();
    BuildTargetScope(BuildTargetScope const&) = delete;
    BuildTargetScope& operator=(BuildTargetScope const&) = delete;

private:
    std::string outer_;
};

/// What this thread builds code for, for example "cuda:sm_90"; empty outside any scope.
std::string const& buildTarget() noexcept;

} // namespace kiln::target
