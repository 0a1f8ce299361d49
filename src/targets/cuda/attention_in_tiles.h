// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "graph/ops/attention.h"
#include "target/workload/attention.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {

using graph::Attention;
using target::AttentionWorkload;

/// What all kernels of attention share: macros and arguments.
struct AttentionInTiles {
    using Op = Attention;

    struct Operand {
        int64_t batch;
        int64_t head;
        int64_t row;
        int64_t column;
    };
    /// Same layout as in kernels/attention_scores.cuh.
    struct Arguments {
        int32_t queries = 0;
        int32_t keys = 0;
        int32_t heads = 0;
        int32_t group = 0;
        int32_t tiles = 0;
        int32_t shift = 0;
        float scale = 0.0F;
        float withoutKeys = 0.0F;
        int32_t items = 0;
        int32_t wide = 0;
        int64_t starts[3] = {};
        Operand strides[5] = {};
    };

protected:
    static constexpr double kLaunch = 3e-6; ///< seconds

    static std::string refuseAbove(int64_t most, Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        if (type != DataType::kHALF && type != DataType::kBF16) {
            return fmt::format("expected float16 or bfloat16, got {}", nameOf(type));
        }
        return refuseWider(most, op);
    }

    static std::string refuseWider(int64_t most, Op const& op) {
        if (op.size > most || op.valueSize > most) {
            return fmt::format("expected heads of at most {} channels, got {} and {}", most,
                               op.size, op.valueSize);
        }
        return {};
    }

    static double seconds(Op const& op, NodeSpec const& node, double perSecond) {
        return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                                  target::attentionOperations(op, node) / perSecond);
    }

    static SourceText sourceIn(std::string_view stem, Op const& op, NodeSpec const& node) {
        AttentionWorkload const at = target::attentionWorkload(op, node);
        return sourceOf(stem, {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                               {"KILN_HEAD", std::to_string(op.size)},
                               {"KILN_VALUE", std::to_string(op.valueSize)},
                               {"KILN_CAUSAL", at.isCausal ? "1" : "0"},
                               {"KILN_MASK", std::to_string(static_cast<int>(at.mask))}});
    }

    /// The arguments for items of `rows` queries, of whose operands a thread moves `vectors`
    /// elements at once. Returns the number of items.
    static int64_t describe(AttentionWorkload const& at, int64_t rows,
                            std::array<int64_t, 4> const& vectors, Arguments& arguments) {
        int64_t const tiles = (at.queries - 1) / rows + 1;
        checkNarrow(at, tiles);
        arguments.queries = static_cast<int32_t>(at.queries);
        arguments.keys = static_cast<int32_t>(at.keys);
        arguments.heads = static_cast<int32_t>(at.heads);
        arguments.group = static_cast<int32_t>(at.group);
        arguments.tiles = static_cast<int32_t>(tiles);
        arguments.shift = static_cast<int32_t>(at.diagonal);
        arguments.scale = at.scale;
        arguments.withoutKeys = at.withoutKeys;
        AttentionWorkload::Strides const* const operands[] = {&at.query, &at.key, &at.value,
                                                              &at.output};
        int64_t const channels[] = {at.size, at.size, at.valueSize, at.valueSize};
        for (std::size_t i = 0; i < 4; ++i) {
            AttentionWorkload::Strides const& own = *operands[i];
            arguments.strides[i] = {own.batch, own.head, own.length, own.channel};
            int64_t const vector = vectors[i];
            bool const isWide = own.channel == 1 && channels[i] % vector == 0 &&
                                own.batch % vector == 0 && own.head % vector == 0 &&
                                own.length % vector == 0;
            arguments.wide |= isWide ? 1 << i : 0;
            if (i < 3) {
                arguments.starts[i] = own.offset;
            }
        }
        arguments.strides[4] = {at.maskStrides.batch, at.maskStrides.head, at.maskStrides.query,
                                at.maskStrides.key};
        // Of elements of 16 bits, or bools.
        int64_t const ofMask = at.mask == AttentionWorkload::Mask::kAdded ? 8 : 16;
        bool const isWide = at.maskStrides.key == 1 && at.maskStrides.batch % ofMask == 0 &&
                            at.maskStrides.head % ofMask == 0 && at.maskStrides.query % ofMask == 0;
        arguments.wide |= isWide ? 16 : 0;
        arguments.items = static_cast<int32_t>(at.batch * at.heads * tiles);
        return arguments.items;
    }

private:
    /// Positions, and the number of blocks, are 32-bit numbers in the kernels.
    static void checkNarrow(AttentionWorkload const& at, int64_t tiles) {
        constexpr int64_t kMost = INT32_MAX / 2;
        bool const fits =
            at.queries <= kMost && at.keys <= kMost && at.batch * at.heads <= kMost / tiles;
        if (!fits) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] Attention: expected at most {} queries, keys and tiles of queries, got {} "
                 "queries and {} keys of {} heads in a batch of {}. Split the batch.",
                 kMost, at.queries, at.keys, at.heads, at.batch);
        }
    }
};

} // namespace kiln::targets::cuda
