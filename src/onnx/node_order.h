// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The order in which nodes can be imported, and what they read.
#pragma once

#include "onnx/proto/messages.h"

#include <functional>
#include <string_view>
#include <vector>

namespace kiln::onnx {

// Calls `visit` for each name that a node reads: its inputs, and what graphs in its attributes take
// from around them. Names may come more than once.
void forEachRead(NodeProto const& node, std::function<void(std::string_view)> const& visit);

// Whether the nodes or the outputs of a graph read a name.
bool reads(GraphProto const& graph, std::string_view name);

// Whether a shape, a bound of a slice or a range depends on a value of the graph: on its elements,
// not on its extents. Throws ImportError if nodes read each other in a circle.
bool shapesDependOn(GraphProto const& graph, std::string_view name);

// The indices of nodes, each behind those whose outputs it reads; the order of the file where it
// is that already. Throws ImportError if nodes read each other in a circle.
std::vector<size_t> sortedOrder(std::vector<NodeProto> const& nodes);

} // namespace kiln::onnx
