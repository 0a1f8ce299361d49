// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/log.h"
#include "runtime/named_weights.h"

namespace kiln::runtime {

/// Logs a warning for each constant with infinite elements, if all new weights are finite: the type
/// of the engine is too small for them.
void warnOfOverflow(plan::Document const& document, std::span<NewWeights const> weights,
                    std::span<NewConstant const> constants, Log const& log);

} // namespace kiln::runtime
