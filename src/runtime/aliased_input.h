// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"

namespace kiln::runtime {

/// The input of the engine that an output updates in place if both have one address, as caches of
/// keys and values; none for other outputs. At different addresses, the input is copied first.
plan::TensorId aliasedInput(plan::Document const& document, plan::TensorId output);

} // namespace kiln::runtime
