// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/normalization.h"
#include "target/nest.h"
#include "target/workload/workload.h"

namespace kiln::target {

/// A Normalization at known shapes. Operands of the loops: x (and the output), scale, bias.
struct NormalizationWorkload {
    Nest<3> sets;    ///< one step for each pair of mean and variance
    Nest<3> members; ///< the elements of one set
    Nest<1> values;  ///< the same for x alone, which merges more loops
};

NormalizationWorkload normalizationWorkload(graph::Normalization const& op,
                                            Workload const& workload);

} // namespace kiln::target
