// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "graph/network.h"

namespace kiln::compiler {

/// Which types that a message is about were declared by plugins: a layer that refuses its inputs
/// names itself, but the plugin in front of it is where they come from. Begins with a blank; empty
/// if no plugin has to do with it. `error` is what a layer of the network threw.
std::string declaredByPlugins(graph::Network const& network, std::string_view error);

} // namespace kiln::compiler
