// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// RotaryEmbedding: pairs of elements are rotated; see kernels/rotary_embedding.cuh.
#include "graph/ops/rotary_embedding.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct RotaryKernel {
    using Op = graph::RotaryEmbedding;
    struct Arguments {
        int64_t rows = 0;
        int64_t heads = 0;
        int64_t length = 0;
        int64_t size = 0;
        int64_t pairs = 0;
        int64_t tableBatch = 0;
        int64_t positions = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const& op, NodeSpec const& node) {
        bool const byPosition = node.has(Op::kPositions);
        return sourceOf(
            "rotary_embedding",
            {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
             {"KILN_INTERLEAVED", op.interleaved ? "1" : "0"},
             {"KILN_POSITION",
              byPosition ? kernelTypeName(node.inputs[Op::kPositions].type.type) : "int32_t"},
             {"KILN_HAS_POSITIONS", byPosition ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& data = workload.inputs[Op::kData];
        Dims const& table = workload.inputs[Op::kCosines];
        bool const byPosition = workload.has(Op::kPositions);
        arguments.rows = data.d[0] * data.d[1] * data.d[2];
        arguments.heads = data.d[1];
        arguments.length = data.d[2];
        arguments.size = data.d[3];
        arguments.pairs = op.rotatedOf(data.d[3]) / 2;
        arguments.tableBatch = byPosition ? 1 : table.d[0];
        arguments.positions = byPosition ? table.d[0] : 0;
        int64_t const inVectors = 16 / static_cast<int64_t>(bytesFor(workload.type(), 1));
        bool const wide = arguments.pairs % inVectors == 0 && arguments.size % inVectors == 0;
        int64_t const at = wide ? inVectors : 1;
        int64_t const units = arguments.pairs / at + (arguments.size - 2 * arguments.pairs) / at;
        return {launchOver(wide ? "rotary_wide" : "rotary", arguments.rows * units)};
    }
};

} // namespace

void registerKernel_rotary_embedding(KernelRegistry& registry) {
    registry.add(entryOf<RotaryKernel>("rotary_embedding"));
}

} // namespace kiln::targets::cuda
