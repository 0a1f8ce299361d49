// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// dynamic_quantize: scales, then elements; see kernels/dynamic_quantize.cuh.
#include "graph/ops/dynamic_quantize.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "targets/cuda/op_kernel.h"
#include "targets/cuda/quantized_blocks.h"

namespace kiln::targets::cuda {
namespace {

/// Blocks of more elements than this are read by a warp, if not all at once.
constexpr int64_t kMostForThread = 64;

struct DynamicQuantizeKernel {
    using Op = graph::DynamicQuantize;
    struct Arguments {
        QuantizedBlocks blocks;
        int64_t scaleCount = 0;
        int64_t run = 0;
        int32_t laneBits = 0;
        int32_t rank = 0;
        int64_t data[Dims::MAX_DIMS] = {};
        int64_t block[Dims::MAX_DIMS] = {};
        int64_t scales[Dims::MAX_DIMS] = {};
    };

    static SourceText source(Op const& op, NodeSpec const& node) {
        std::vector<std::pair<std::string, std::string>> macros{
            {"KILN_WIDE", kernelTypeName(node.inputs[0].type.type)},
            {"KILN_NARROW", kernelTypeName(op.toType)},
            {"KILN_SCALE", kernelTypeName(op.scaleType)},
            {"KILN_MOST", fmt::format("{:.1f}F", graph::limitsOf(op.toType).most)}};
        if (node.has(1)) {
            macros.emplace_back("KILN_FACTOR", kernelTypeName(node.inputs[1].type.type));
        }
        return sourceOf("dynamic_quantize", macros);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& data = workload.inputs[0];
        Dims const& scales = workload.outputs[1];
        Dims block = op.blocksOf(data.nbDims);
        arguments.rank = data.nbDims;
        int64_t elements = 1;
        for (int32_t i = 0; i < data.nbDims; ++i) {
            block.d[i] = block.d[i] < 0 ? std::max<int64_t>(data.d[i], 1) : block.d[i];
            arguments.data[i] = data.d[i];
            arguments.block[i] = block.d[i];
            arguments.scales[i] = scales.d[i];
            elements *= std::min(block.d[i], data.d[i]);
        }
        arguments.blocks = quantizedBlocks(data, scales, {-1, block});
        arguments.scaleCount = volume(scales, "scales of dynamic_quantize");
        int64_t const width = vectorWidth(bytesFor(workload.type(), 1));
        if (std::optional<GridLaunch> const once = launchOnce(width, arguments)) {
            return {*once};
        }
        arguments.blocks.longRuns = hasLongRuns(arguments.blocks, width) ? 1 : 0;
        bool const small = elements <= kMostForThread;
        return {small ? launchOver("scales_by_thread", arguments.scaleCount)
                      : launchBlocks("scales_by_warp", arguments.scaleCount, 256 / 32),
                launchConversion(arguments.blocks.hasRuns(width) ? "quantize_runs" : "quantize_any",
                                 arguments.blocks.count, width)};
    }

private:
    /// One launch, if blocks are whole vectors that follow each other.
    static std::optional<GridLaunch> launchOnce(int64_t width, Arguments& arguments) {
        QuantizedBlocks const& blocks = arguments.blocks;
        int64_t const run = blocks.hasOne() ? blocks.count : blocks.inner().block.divisor;
        bool const neighbours = blocks.rank == 1 && run > 0 && blocks.count % run == 0 &&
                                (blocks.hasOne() || blocks.inner().stride == 1);
        if (!neighbours || run % width != 0) {
            return std::nullopt;
        }
        auto const vectors = static_cast<uint64_t>(run / width);
        arguments.run = run;
        arguments.laneBits = std::countr_zero(vectors);
        if (std::has_single_bit(vectors) && vectors <= 32) {
            return launchConversion("quantize_lanes", blocks.count, width);
        }
        return launchBlocks("quantize_threads", arguments.scaleCount, 1);
    }
};

} // namespace

void registerKernel_dynamic_quantize(KernelRegistry& registry) {
    registry.add(entryOf<DynamicQuantizeKernel>("dynamic_quantize_blocks"));
}

} // namespace kiln::targets::cuda
