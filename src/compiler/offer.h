// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compiler/layer_forms.h"

namespace kiln::compiler {

/// What the target offers for a step, in the first form that it takes.
struct Offer {
    Combination form;
    double seconds = 0.0; ///< the lowest estimate
    std::string refusal;  ///< why it takes no form; empty if it takes one

    bool isThere() const noexcept { return refusal.empty(); }
};

/// `type` restricts the forms to those whose first operand has this type, if there are any.
Offer offerFor(Program const& program, Extents const& extents, Step const& step,
               std::optional<DataType> type = std::nullopt);

} // namespace kiln::compiler
