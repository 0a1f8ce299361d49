// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "compiler/program.h"
#include "graph/network.h"

namespace kiln::compiler {

/// Makes constants of the weights that layers hold, as references to the user's memory, and notes
/// what a refit needs to know of them.
class WeightImporter {
public:
    /// The arguments must outlive the object.
    WeightImporter(graph::Network const& network, Program& program);

    /// Throws kInvalidArgument unless the weights have as many elements as the layer wants.
    ValueId add(graph::Node const& node, graph::WeightSlot const& slot);

    /// Whether extents may depend on the elements of a constant: they are known, and a layer reads
    /// them that may take them for extents.
    static bool mayGiveExtents(graph::Node const& constant);

private:
    void noteSource(graph::WeightSlot const& slot, target::RecipePtr const& source);

    graph::Network const& network_;
    Program& program_;
    /// For refit: names of layers whose own name another one has, too, such as "conv #2".
    std::unordered_map<graph::Node const*, std::string> names_;
};

} // namespace kiln::compiler
