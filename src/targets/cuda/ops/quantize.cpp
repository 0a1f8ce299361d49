// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// quantize with scales of any blocks; see kernels/quantize.cuh.
#include "graph/ops/quantize.h"

#include "targets/cuda/op_kernel.h"
#include "targets/cuda/quantized_blocks.h"

namespace kiln::targets::cuda {
namespace {

struct QuantizeKernel {
    using Op = graph::Quantize;
    using Arguments = QuantizedBlocks;

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("quantize", {{"KILN_WIDE", kernelTypeName(node.inputs[0].type.type)},
                                     {"KILN_NARROW", kernelTypeName(node.outputs[0].type.type)},
                                     {"KILN_SCALE", kernelTypeName(node.inputs[1].type.type)},
                                     {"KILN_ZERO", node.has(2) ? "1" : "0"},
                                     {"KILN_DEQUANTIZES", "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments = quantizedBlocks(workload.inputs[0], workload.inputs[1], op.scaleShape());
        return {launchOver("quantize", (arguments.count + kQuantizedGroup - 1) / kQuantizedGroup)};
    }
};

} // namespace

void registerKernel_quantize(KernelRegistry& registry) {
    registry.add(entryOf<QuantizeKernel>("quantize_blocks"));
}

} // namespace kiln::targets::cuda
