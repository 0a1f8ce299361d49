// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/attention.h"
#include "target/candidate.h"
#include "target/workload/workload.h"

namespace kiln::target {

/// An Attention at known shapes, as kernels see it. All strides and offsets are in elements.
///
///   output[b, h, i] = sum over j of p[b, h, i, j] * value[b, h / group, j]
///   p[b, h, i, :] = softmax over the keys j that i sees of
///                   scale * query[b, h, i] . key[b, h / group, j] + mask[b, h, i, j]
struct AttentionWorkload {
    struct Strides {
        int64_t offset = 0; ///< of the first element
        int64_t batch = 0;  ///< 0: all of the batch read the same
        int64_t head = 0;
        int64_t length = 0;
        int64_t channel = 0;

        int64_t at(int64_t b, int64_t h, int64_t i) const noexcept {
            return offset + b * batch + h * head + i * length;
        }
    };
    /// Strides of the mask; 0 where it is broadcast.
    struct MaskStrides {
        int64_t batch = 0;
        int64_t head = 0;
        int64_t query = 0;
        int64_t key = 0;
    };
    enum class Mask : uint8_t {
        kNone,
        kAdded, ///< of the type of the other operands
        kKept,  ///< bool: keys where it is true are seen
        kDropped,
    };

    int64_t batch = 0;
    int64_t heads = 0;
    int64_t group = 1; ///< heads of the query for one head of keys and values
    int64_t queries = 0;
    int64_t keys = 0;
    int64_t size = 0;
    int64_t valueSize = 0;
    float scale = 1.0F;
    Strides query;
    Strides key;
    Strides value;
    Strides output;
    Mask mask = Mask::kNone;
    MaskStrides maskStrides;
    bool isCausal = false;
    int64_t diagonal = 0; ///< if causal, query i sees the keys j <= i + diagonal
    /// What a query gives that sees no key, or whose keys all have the score -infinity: NaN or 0.
    float withoutKeys = 0.0F;

    /// How many keys, from the first on, query i may see; the mask may hide some of them.
    int64_t keysOf(int64_t i) const noexcept {
        int64_t const seen = isCausal ? i + diagonal + 1 : keys;
        return seen < 0 ? 0 : seen < keys ? seen : keys;
    }
};

/// The workload must be checked (checkWorkload()).
AttentionWorkload attentionWorkload(graph::Attention const& op, Workload const& workload);
/// At the optimum shapes.
AttentionWorkload attentionWorkload(graph::Attention const& op, NodeSpec const& node);

/// Multiplications and additions of both products at the optimum shapes.
double attentionOperations(graph::Attention const& op, NodeSpec const& node);

} // namespace kiln::target
