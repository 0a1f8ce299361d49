// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plan/document.h"

namespace kiln::runtime {

/// Where the internal tensors and the workspaces of a context lie in its memory.
struct MemoryLayout {

    uint64_t bytes = 0;                       ///< of all
    Table<plan::TensorId, uint64_t> capacity; ///< bytes that are reserved, by tensor
    Table<plan::TensorId, uint64_t> offsets;  ///< of internal tensors with memory of their own
    std::vector<uint64_t> workspaces;         ///< bytes, by step
    std::vector<uint64_t> workspaceOffsets;
};

/// Gives each internal tensor and each workspace a place, for the steps during which it is in use.
/// Memory of bodies lies in that of their parents: the bodies of a branch use the same, and what a
/// repeated body reads from outside stays until its last pass.
MemoryLayout layOut(plan::Document const& document, Table<plan::TensorId, uint64_t> capacity,
                    std::vector<uint64_t> workspaces);

/// The steps during which a tensor is in use, both included.
struct Life {
    int32_t first = 0;
    int32_t last = 0;
};

/// Of each tensor: for internal ones, the steps during which their memory is not free for others.
Table<plan::TensorId, Life> livesOf(plan::Document const& document,
                                    Table<plan::TensorId, uint64_t> capacity);

/// The layout for the shapes of one profile. If it would take no less memory than the plan's own
/// places, which suffice for all profiles: these.
MemoryLayout layOutProfile(plan::Document const& document, std::size_t profile);

/// The places that the plan has.
MemoryLayout layoutOfPlan(plan::Document const& document,
                          Table<plan::TensorId, uint64_t> const& capacity);

/// Gives a plan its places, which suffice for all profiles.
void placeTensors(plan::Document& document);

} // namespace kiln::runtime
