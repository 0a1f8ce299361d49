// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention of float, and with products in TF32; see kernels/attention_float.cuh.
#include "targets/cuda/attention_in_tiles.h"
#include "targets/cuda/tf32.h"

namespace kiln::targets::cuda {
namespace {

template <bool kRounded>
struct AttentionFloat : AttentionInTiles {
    static std::string refuse(Op const& op, NodeSpec const& node) {
        constexpr int64_t kMostChannels = 128;
        DataType const type = node.inputs[0].type.type;
        if (type != DataType::kFLOAT) {
            return fmt::format("expected float32, got {}", nameOf(type));
        }
        std::string const reason = kRounded ? refuseUnlessTf32(node) : std::string();
        return reason.empty() ? refuseWider(kMostChannels, op) : reason;
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        AttentionWorkload const at = target::attentionWorkload(op, node);
        // A block passes over all keys, and computes all rows of its tile.
        double const pass = kLaunch + kSecondsOfKey * static_cast<double>(at.keys);
        int64_t const rows = (at.queries + kQueriesOfBlock - 1) / kQueriesOfBlock * kQueriesOfBlock;
        double const filled =
            static_cast<double>(std::max<int64_t>(at.queries, 1)) / static_cast<double>(rows);
        return std::max(pass, seconds(op, node, kPerSecond * filled));
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        SourceText text = sourceIn("attention_float", op, node);
        text.defines.emplace_back("KILN_ROUNDED", kRounded ? "1" : "0");
        return text;
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        if (at.batch == 0 || at.queries == 0) {
            return {};
        }
        int64_t const blocks = describe(at, kQueriesOfBlock, {4, 4, 4, 4}, arguments);
        return {{"attention", blocks, 1, 1, kThreads}};
    }

private:
    static constexpr int64_t kQueriesOfBlock = 64;
    static constexpr int32_t kThreads = 128;
    static constexpr double kSecondsOfKey = kRounded ? 1.5e-8 : 3e-8;
    static constexpr double kPerSecond = kRounded ? 9e13 : 4.5e13;
};

} // namespace

void registerKernel_attention_float(KernelRegistry& registry) {
    registry.add(entryOf<AttentionFloat<true>>("attention_float_tf32"));
    registry.add(entryOf<AttentionFloat<false>>("attention_float"));
}

} // namespace kiln::targets::cuda
