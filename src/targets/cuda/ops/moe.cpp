// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// MoE: pairs of a token and one of its experts are sorted by expert, then the products of all
// experts run as two launches; see kernels/moe.cuh.
#include "graph/ops/moe.h"

#include <algorithm>

#include "graph/quantization.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

constexpr int64_t kTile = 64; ///< rows and columns of a block, as in kernels/moe.cuh

struct MoEKernel {
    using Op = graph::MoE;
    /// Same layout as in kernels/moe.cuh; offsets are in bytes of the workspace.
    struct Arguments {
        int64_t tokens = 0;
        int64_t slots = 0;
        int64_t experts = 0;
        int64_t hidden = 0;
        int64_t inner = 0;
        int64_t tiles = 0; ///< of rows, at most
        int64_t innerAt = 0;
        int64_t resultsAt = 0;
        float limit = 0.0F;
        float alpha = 0.0F;
        float beta = 0.0F;
        int32_t silu = 0;
        int32_t scaleByExpert = 0;
        int64_t block = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        std::string const reason = refuseUnlessFloat(node);
        return reason.empty()
                   ? graph::moeRefusal(op, {node.has(Op::kGate), node.has(Op::kDownScale),
                                            node.has(Op::kDoubleScale)})
                   : reason;
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        bool const quantizes = op.quantizedType != DataType::kFLOAT;
        auto const typeOf = [&](std::size_t operand) {
            return node.has(operand) ? kernelTypeName(node.inputs[operand].type.type) : "float";
        };
        float const most = quantizes ? graph::limitsOf(op.quantizedType).most : 0.0F;
        return sourceOf("moe", {{"KILN_QUANTIZES", !quantizes             ? "0"
                                                   : op.quantizesBlocks() ? "2"
                                                                          : "1"},
                                {"KILN_NARROW", kernelTypeName(op.quantizedType)},
                                {"KILN_MOST", fmt::format("{:.1f}F", most)},
                                {"KILN_BLOCK_SCALE", kernelTypeName(op.scaleType)},
                                {"KILN_SCALE", typeOf(Op::kDownScale)},
                                {"KILN_FACTOR", typeOf(Op::kDoubleScale)},
                                {"KILN_ELEMENT", kernelTypeName(type)},
                                {"KILN_UNITS", type == DataType::kFLOAT ? "0" : "1"},
                                {"KILN_INDEX", kernelTypeName(node.inputs[Op::kExperts].type.type)},
                                {"KILN_INPUTS", std::to_string(node.inputs.size())}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        return static_cast<std::size_t>(partsOf(workload).bytes);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Parts const parts = partsOf(workload);
        graph::MoESizes const& sizes = parts.sizes;
        arguments.tokens = sizes.tokens;
        arguments.slots = sizes.slots;
        arguments.experts = sizes.experts;
        arguments.hidden = sizes.hidden;
        arguments.inner = sizes.inner;
        arguments.tiles = parts.tiles;
        arguments.innerAt = parts.innerAt;
        arguments.resultsAt = parts.resultsAt;
        arguments.limit = op.limit;
        arguments.alpha = op.alpha;
        arguments.beta = op.beta;
        bool const scales = workload.has(Op::kDownScale);
        arguments.scaleByExpert =
            scales && volume(workload.inputs[Op::kDownScale], "scale") > 1 ? 1 : 0;
        arguments.silu = op.activation == nvinfer1::MoEActType::kSILU ? 1 : 0;
        if (sizes.tokens * sizes.hidden == 0) {
            return {};
        }
        std::vector<GridLaunch> launches{{"moe_sort", 1, 1, 1, 256},
                                         blocksOf("moe_inner", parts.tiles, sizes.inner),
                                         blocksOf("moe_down", parts.tiles, sizes.hidden),
                                         launchOver("moe_sum", sizes.tokens * sizes.hidden)};
        if (op.quantizesBlocks()) {
            arguments.block = op.blockSize();
            int64_t const across = (sizes.inner + arguments.block - 1) / arguments.block;
            launches.insert(
                launches.begin() + 2,
                launchOver("moe_quantize", std::max<int64_t>(1, sizes.pairs() * across)));
        }
        return launches;
    }

private:
    struct Parts {
        graph::MoESizes sizes;
        int64_t tiles = 0;
        int64_t innerAt = 0;
        int64_t resultsAt = 0;
        int64_t bytes = 0;
    };

    static int64_t aligned(int64_t bytes) { return (bytes + 15) / 16 * 16; }

    static Parts partsOf(Workload const& workload) {
        Parts parts;
        parts.sizes = graph::moeSizes(workload.inputs);
        int64_t const pairs = parts.sizes.pairs();
        // Each expert with pairs has at most one tile that is not full.
        parts.tiles = pairs / kTile + std::min(parts.sizes.experts, pairs);
        int64_t const whole = 2 * pairs + 2 * (parts.sizes.experts + 1) + 2 * parts.tiles;
        parts.innerAt = aligned(whole * static_cast<int64_t>(sizeof(int64_t)));
        parts.resultsAt =
            aligned(parts.innerAt +
                    pairs * parts.sizes.inner * static_cast<int64_t>(bytesFor(workload.type(), 1)));
        parts.bytes =
            parts.resultsAt + pairs * parts.sizes.hidden * static_cast<int64_t>(sizeof(float));
        return parts;
    }

    static GridLaunch blocksOf(std::string_view function, int64_t tiles, int64_t columns) {
        int64_t const blocks = tiles * ((columns + kTile - 1) / kTile);
        return {function, std::min<int64_t>(blocks, INT32_MAX), 1, 1, 128};
    }
};

} // namespace

void registerKernel_moe(KernelRegistry& registry) {
    registry.add(entryOf<MoEKernel>("moe"));
}

} // namespace kiln::targets::cuda
