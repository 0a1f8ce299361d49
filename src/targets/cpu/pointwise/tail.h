// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "graph/ops/region.h"

namespace kiln::targets::cpu {

/// The operations of a region behind its first one, as a region whose input 0 is the value that the
/// first operation makes.
struct Tail {
    std::unique_ptr<graph::Region> region; ///< null: there are none
    std::vector<int32_t> inputs;           ///< by input from 1 on: the input of the whole region
};

Tail tailOf(graph::Region const& region);

} // namespace kiln::targets::cpu
