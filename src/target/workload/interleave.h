// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/interleave.h"
#include "target/workload/workload.h"

namespace kiln::target {

/// An Interleave at known shapes.
struct InterleaveWorkload {
    struct Axis {
        int64_t input = 1;
        int64_t output = 1;
        int64_t stride = 1;
        int64_t before = 0;
    };
    int64_t batch = 0;
    int64_t groups = 1;
    int64_t maps = 0; ///< of a group, in the output
    int64_t phases = 1;
    Axis depth; ///< extent 1 if there are fewer than three spatial axes
    Axis height;
    Axis width;
};

InterleaveWorkload interleaveWorkload(graph::Interleave const& op, Workload const& workload);

} // namespace kiln::target
