// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// region: several ops as one kernel.
#include "graph/ops/region.h"

#include "targets/cpu/few_rows.h"
#include "targets/cpu/narrow_weights.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/winograd/winograd.h"

namespace kiln::targets::cpu {

void registerKernel_region(target::KernelRegistry& registry) {
    addFewRows(registry, graph::Region::kKind);
    addNarrowWeights(registry);
    onednn::addKernel(registry, graph::Region::kKind, "region_onednn");
    addWinograd(registry, graph::Region::kKind);
}

} // namespace kiln::targets::cpu
