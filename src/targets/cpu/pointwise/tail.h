// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "graph/ops/region.h"

namespace kiln::targets::cpu {

/// The operations of a region behind one of its first operations, as a region whose input 0 is the
/// value that this one makes.
struct Tail {
    std::unique_ptr<graph::Region> region; ///< null: there are none
    std::vector<int32_t> inputs;           ///< by input from 1 on: the input of the whole region
};

/// Behind the operation `last`, of which nothing but the result is read. Those up to it have one
/// output each.
Tail tailOf(graph::Region const& region, std::size_t last = 0);

} // namespace kiln::targets::cpu
