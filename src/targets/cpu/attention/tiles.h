// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel.h"
#include "target/workload/attention.h"

namespace kiln::targets::cpu {

/// Head sizes for which the buffers of a tile fit the stack.
constexpr int64_t kLargestHead = 256;

/// Keys and values of one head as floats whose rows lie side by side; null: read the operand.
struct DenseHead {
    float const* keys = nullptr;
    float const* values = nullptr;
};

/// Computes queries [first, first + count) of one head, at most kTileColumns. Scores exist for one
/// block of keys at a time.
template <typename T>
void attendTile(target::AttentionWorkload const& at, target::KernelCall const& call,
                DenseHead const& dense, int64_t batch, int64_t head, int64_t first,
                int64_t count) noexcept;

/// Computes all queries of one head, at most kFewQueries: one by one, with channels in lanes
/// instead of queries.
constexpr int64_t kFewQueries = 4;
template <typename T>
void attendFew(target::AttentionWorkload const& at, target::KernelCall const& call, int64_t batch,
               int64_t head) noexcept;

} // namespace kiln::targets::cpu
