// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "graph/ops/quantize.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/quantized_blocks.h"

namespace kiln::targets::cuda {

/// The kernel of Quantize and Dequantize for scales of any blocks; see kernels/quantize.cuh.
template <typename OpType>
struct QuantizationKernel {
    using Op = OpType;
    using Arguments = QuantizedBlocks;
    static constexpr bool kQuantizes = std::is_same_v<Op, graph::Quantize>;

    static SourceText source(Op const&, NodeSpec const& node) {
        char const* const from = kernelTypeName(node.inputs[0].type.type);
        char const* const to = kernelTypeName(node.outputs[0].type.type);
        return sourceOf("quantize", {{"KILN_WIDE", kQuantizes ? from : to},
                                     {"KILN_NARROW", kQuantizes ? to : from},
                                     {"KILN_SCALE", kernelTypeName(node.inputs[1].type.type)},
                                     {"KILN_ZERO", node.has(2) ? "1" : "0"},
                                     {"KILN_DEQUANTIZES", kQuantizes ? "0" : "1"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments = quantizedBlocks(workload.inputs[0], workload.inputs[1], op.scaleShape());
        return {launchOver(kQuantizes ? "quantize" : "dequantize",
                           (arguments.count + kQuantizedGroup - 1) / kQuantizedGroup)};
    }
};

} // namespace kiln::targets::cuda
