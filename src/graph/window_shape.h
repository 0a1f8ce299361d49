// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "graph/window.h"

namespace kiln::graph {

/// Output shape [batch, channels, ...] of a layer that slides `window` over input 0, which must be
/// [batch, any, spatial...]. Throws kInvalidArgument if the window exceeds the padded input.
ShapeExpr windowShape(InferContext const& context, std::string_view kind, Window const& window,
                      ExprRef channels);

} // namespace kiln::graph
