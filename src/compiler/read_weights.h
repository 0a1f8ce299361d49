// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "target/recipe.h"

namespace kiln::compiler {

/// The weights whose elements the compiler reads on this thread while the object exists. What is
/// built from elements holds for these elements only: a pattern that finds a scale of 0.5 and makes
/// a GELU. Objects may be nested; each sees what is read inside.
class ReadWeights {
public:
    ReadWeights() noexcept;
    ~ReadWeights();
    ReadWeights(ReadWeights const&) = delete;
    ReadWeights& operator=(ReadWeights const&) = delete;

    /// By layer and role.
    std::set<std::string, std::less<>> const& names() const noexcept { return names_; }

    /// To be called where elements are read.
    static void note(target::Recipe const& recipe);

private:
    ReadWeights* outer_;
    std::set<std::string, std::less<>> names_;
};

} // namespace kiln::compiler
