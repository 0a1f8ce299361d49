// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::graph {

/// The axes of one tensor of an Einstein summation: letters, and at most one ellipsis.
struct EinsumTerm {
    static constexpr char kEllipsis = '.';
    std::string axes; ///< letters, and kEllipsis for "..."

    bool hasEllipsis() const { return axes.find(kEllipsis) != std::string::npos; }
    int32_t letters() const { return static_cast<int32_t>(axes.size()) - (hasEllipsis() ? 1 : 0); }
};

/// An equation such as "bij,bjk->bik".
struct EinsumEquation {
    std::vector<EinsumTerm> inputs;
    EinsumTerm output;   ///< for an equation without arrow, as derived from the inputs
    std::string problem; ///< why it is not valid; else empty

    static EinsumEquation parse(std::string_view text);
};

} // namespace kiln::graph
