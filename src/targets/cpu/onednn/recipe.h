// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/bytes.h"
#include "target/candidate.h"
#include "targets/cpu/onednn/blueprint.h"
#include "targets/cpu/onednn/scaled_weights.h"

namespace kiln::targets::cpu::onednn {

/// What was decided when the engine was built: KernelRecord::code.
struct Recipe {
    Order order;               ///< of the weights
    uint64_t scratchBytes = 0; ///< at the shapes of the profiles, with the threads of the build
    int32_t overwritten = -1;  ///< see Fusion
    int32_t scale = -1;        ///< see Fusion
    ChannelRuns runs;          ///< of the weights, with a scale
    uint64_t scaledBytes = 0;  ///< of the weights, with a scale

    /// The place of scaled weights in the workspace.
    uint64_t scaledAt() const noexcept;
    uint64_t workspaceBytes() const noexcept { return scaledAt() + scaledBytes; }
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

/// The recipe with the output in the memory of an input; nullopt if oneDNN cannot run it so.
std::optional<Recipe> overwriting(Fusion const& fusion, target::NodeSpec const& node,
                                  Recipe const& recipe, std::size_t input);

/// Why the output cannot take the memory of Fusion::overwritten; empty if it can, and for -1.
std::string overwriteProblem(Fusion const& fusion, target::Workload const& workload);

} // namespace kiln::targets::cpu::onednn
