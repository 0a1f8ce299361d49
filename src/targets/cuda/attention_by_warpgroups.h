// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cuda/attention_in_tiles.h"

namespace kiln::targets::cuda {

/// What the kernels share that multiply by warpgroups, on GPUs of compute capability 9.0.
struct AttentionByWarpgroups : AttentionInTiles {
protected:
    static constexpr int64_t kThreadsOfGroup = 128;
    static constexpr int64_t kQueriesOfGroup = 64;

    // As in kernels/attention_panels.cuh.
    static int64_t padded(int64_t channels) {
        return channels > 128 ? 256 : channels > 64 ? 128 : 64;
    }
    static int64_t keysOfTile(int64_t size, int64_t valueSize) {
        return padded(size) + padded(valueSize) > 256 ? 64 : 128;
    }

    /// Bytes of tiles of keys and values, and of the queries of `groups` warpgroups.
    static int32_t sharedBytes(AttentionWorkload const& at, int64_t stages, int64_t groups) {
        int64_t const keys =
            stages * keysOfTile(at.size, at.valueSize) * (padded(at.size) + padded(at.valueSize));
        return static_cast<int32_t>(2 * (keys + groups * kQueriesOfGroup * padded(at.size)));
    }
};

/// The code is for sm_90a: it uses instructions that later GPUs do not have.
template <typename Impl>
Bytes compileHopperSource(NodeSpec const& node, std::span<std::string const> architectures) {
    return compileForHopper(Impl::source(static_cast<Attention const&>(node.op), node),
                            architectures);
}

} // namespace kiln::targets::cuda
