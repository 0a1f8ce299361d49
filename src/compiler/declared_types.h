// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "graph/network.h"

namespace kiln::compiler {

/// Explains which types in an error message were declared by plugins. A layer that refuses its
/// inputs names only itself, but the types come from the plugin before it. The text begins with a
/// blank; it is empty if no plugin is involved. `error` is the message that a layer of the network
/// threw.
std::string declaredByPlugins(graph::Network const& network, std::string_view error);

} // namespace kiln::compiler
