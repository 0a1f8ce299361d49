// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/rewriter.h"

namespace kiln::compiler {

/// Rewrites the steps that end in one step of a certain kind. Each file of patterns/ defines one,
/// in `void registerPattern_<stem>(PatternRegistry&)`; the list of files is generated.
///
/// A pattern sees operands, users, shapes and constants: never names, never targets. Each rewrite
/// removes steps or work, so that rewriting ends.
struct Pattern {
    std::string name;               ///< for the inspector: "fold_scale"
    std::vector<std::string> kinds; ///< Op::kind() of the last step; empty: any kind
    /// Returns whether it changed the program. The step is no plugin.
    bool (*apply)(Rewriter& rewriter, StepId last) = nullptr;
};

class PatternRegistry {
public:
    /// The process-wide registry, filled at first use.
    static PatternRegistry const& instance();

    void add(Pattern pattern);
    /// In order of their files' names.
    std::vector<Pattern> const& all() const noexcept { return patterns_; }

private:
    std::vector<Pattern> patterns_;
};

} // namespace kiln::compiler
