// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention: softmax(scale * Q K^T + mask) V in one launch; see kernels/attention.cuh.
#include "graph/ops/attention.h"

#include "target/workload/attention.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Attention;
using target::AttentionWorkload;

struct AttentionTiles {
    using Op = Attention;

    struct Operand {
        int64_t batch;
        int64_t head;
        int64_t row;
        int64_t column;
    };
    /// Same layout as in kernels/attention.cuh.
    struct Arguments {
        int32_t queries = 0;
        int32_t keys = 0;
        int32_t heads = 0;
        int32_t group = 0;
        int32_t tiles = 0;
        int32_t shift = 0;
        float scale = 0.0F;
        float withoutKeys = 0.0F;
        int32_t wide = 0;
        int64_t starts[3] = {};
        Operand strides[5] = {};
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        if (type != DataType::kHALF && type != DataType::kBF16) {
            return fmt::format("expected float16 or bfloat16, got {}", nameOf(type));
        }
        if (op.size > kMostChannels || op.valueSize > kMostChannels) {
            return fmt::format("expected heads of at most {} channels, got {} and {}",
                               kMostChannels, op.size, op.valueSize);
        }
        return {};
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        constexpr double kLaunch = 3e-6;
        constexpr double kPerSecond = 2e14;
        return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                                  target::attentionOperations(op, node) / kPerSecond);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        AttentionWorkload const at = target::attentionWorkload(op, node);
        return sourceOf("attention", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                                      {"KILN_HEAD", std::to_string(op.size)},
                                      {"KILN_VALUE", std::to_string(op.valueSize)},
                                      {"KILN_CAUSAL", at.isCausal ? "1" : "0"},
                                      {"KILN_MASK", std::to_string(static_cast<int>(at.mask))}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        if (at.batch == 0 || at.queries == 0) {
            return {};
        }
        checkNarrow(at);
        arguments.queries = static_cast<int32_t>(at.queries);
        arguments.keys = static_cast<int32_t>(at.keys);
        arguments.heads = static_cast<int32_t>(at.heads);
        arguments.group = static_cast<int32_t>(at.group);
        arguments.shift = static_cast<int32_t>(at.diagonal);
        arguments.scale = at.scale;
        arguments.withoutKeys = at.withoutKeys;
        AttentionWorkload::Strides const* const operands[] = {&at.query, &at.key, &at.value,
                                                              &at.output};
        constexpr int64_t kVectors[] = {2, 8, 8, 2}; // elements that are moved at once
        int64_t const channels[] = {at.size, at.size, at.valueSize, at.valueSize};
        for (std::size_t i = 0; i < 4; ++i) {
            AttentionWorkload::Strides const& own = *operands[i];
            arguments.strides[i] = {own.batch, own.head, own.length, own.channel};
            int64_t const vector = kVectors[i];
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
        int64_t const rows = at.batch * at.heads;
        int64_t const warps = warpsFor(at.queries);
        int64_t const tiles = (at.queries - 1) / (kQueriesOfWarp * warps) + 1;
        arguments.tiles = static_cast<int32_t>(tiles);
        return {{"attention", rows * tiles, 1, 1, static_cast<int32_t>(32 * warps)}};
    }

private:
    static constexpr int64_t kMostChannels = 128;
    static constexpr int64_t kQueriesOfWarp = 16;

    /// The warps of a block share its keys, so 4 are best even if some multiprocessors get no
    /// block.
    static int64_t warpsFor(int64_t queries) {
        int64_t warps = 4;
        while (warps > 1 && queries <= kQueriesOfWarp * warps / 2) {
            warps /= 2;
        }
        return warps;
    }

    /// Positions, and the number of blocks, are 32-bit numbers in the kernel.
    static void checkNarrow(AttentionWorkload const& at) {
        constexpr int64_t kMost = INT32_MAX / 2;
        bool const fits = at.queries <= kMost && at.keys <= kMost &&
                          at.batch * at.heads <= kMost / ((at.queries - 1) / kQueriesOfWarp + 1);
        if (!fits) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] Attention: expected at most {} queries, keys and tiles of {} queries, got "
                 "{} queries and {} keys of {} heads in a batch of {}. Split the batch.",
                 kMost, kQueriesOfWarp, at.queries, at.keys, at.heads, at.batch);
        }
    }
};

} // namespace

void registerKernel_attention(KernelRegistry& registry) {
    registry.add(entryOf<AttentionTiles>("attention_tiles"));
}

} // namespace kiln::targets::cuda
