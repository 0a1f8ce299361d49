// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// fill with random numbers; see kernels/fill_random.cuh.
#include "graph/ops/fill.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Fill;

struct FillRandom {
    using Op = Fill;
    static constexpr bool kCountsRuns = true;
    struct Arguments {
        int64_t count = 0;
        uint64_t seed = 0;
        float alpha = 0.0F;
        float beta = 0.0F;
        int32_t bits = 0;
        int32_t unused = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const&) {
        return op.isRandom() ? std::string() : "expected random values";
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        bool const normal = op.operation == nvinfer1::FillOperation::kRANDOM_NORMAL;
        return sourceOf("fill_random", {{"KILN_ELEMENT", kernelTypeName(op.type)},
                                        {"KILN_NORMAL", normal ? "1" : "0"},
                                        {"KILN_INPUTS", std::to_string(node.inputs.size())},
                                        {"KILN_ALPHA", node.has(Fill::kAlpha) ? "1" : "0"},
                                        {"KILN_BETA", node.has(Fill::kBeta) ? "1" : "0"}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const&) { return sizeof(int64_t); }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments.count = volume(workload.outputs[0], "fill");
        arguments.seed = op.seed;
        arguments.alpha =
            static_cast<float>(op.isWhole ? static_cast<double>(op.wholeAlpha) : op.alpha);
        arguments.beta =
            static_cast<float>(op.isWhole ? static_cast<double>(op.wholeBeta) : op.beta);
        arguments.bits = op.type == DataType::kFLOAT ? 24 : op.type == DataType::kHALF ? 11 : 8;
        // A thread that makes many numbers reads the parameters once.
        constexpr int64_t kMostBlocks = 2112;
        GridLaunch fill = launchOver("fill_random", (arguments.count + 3) / 4);
        fill.gridX = std::min(fill.gridX, kMostBlocks);
        return {{"count_run", 1, 1, 1, 1}, fill};
    }
};

} // namespace

void registerKernel_fill_random(KernelRegistry& registry) {
    registry.add(entryOf<FillRandom>("fill_random"));
}

} // namespace kiln::targets::cuda
