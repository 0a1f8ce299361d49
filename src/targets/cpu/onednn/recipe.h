// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "target/candidate.h"
#include "targets/cpu/onednn/blueprint.h"

namespace kiln::targets::cpu::onednn {

/// What was decided when the engine was built: KernelRecord::code.
struct Recipe {
    Order order;               ///< of the weights
    uint64_t scratchBytes = 0; ///< at the shapes of the profiles, with the threads of the build

    Bytes save() const;
    /// Throws kCorruptData, or kUnsupported if another version of oneDNN wrote it.
    static Recipe load(ByteView bytes);
};

/// The recipe for a node, or the reason why oneDNN is of no use: `refusal`.
struct Selection {
    Recipe recipe;
    std::string refusal;
};

/// Tries the order that oneDNN prefers at the optimum shapes, then the plain one. An order that
/// gives a reference implementation at any of the node's shapes is not taken.
Selection select(Fusion const& fusion, target::NodeSpec const& node);

} // namespace kiln::targets::cpu::onednn
