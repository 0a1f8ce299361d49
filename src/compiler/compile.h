// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "compiler/options.h"
#include "graph/network.h"

namespace kiln::compiler {

/// Builds a plan. Only reads the network, apart from lazy inference. Throws Error with the layer
/// and the remedy.
Bytes compile(graph::Network& network, Options const& options);

} // namespace kiln::compiler
