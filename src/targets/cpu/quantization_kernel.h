// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "graph/ops/quantize.h"
#include "targets/cpu/op_kernel.h"
#include "targets/cpu/quantized_elements.h"

namespace kiln::targets::cpu {

/// The plain kernel of Quantize and Dequantize: any types, and scales of any blocks.
template <typename OpType>
struct QuantizationKernel {
    using Op = OpType;
    using State = Quantization;
    static constexpr bool kQuantizes = std::is_same_v<Op, graph::Quantize>;

    static double estimate(Op const&, NodeSpec const& node) {
        DataType const to = node.outputs[0].type.type;
        bool const bytes = to == DataType::kINT8 || to == DataType::kUINT8;
        bool const wide = node.inputs[0].type.type == DataType::kFLOAT;
        return elementsOf(node) * (kQuantizes && bytes && wide ? 4e-10 : 2e-9);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        DataType const from = workload.inputTypes[0].type;
        DataType const to = workload.outputTypes[0].type;
        state.blocks = graph::scaleBlocks(workload.inputs[0], workload.inputs[1], op.scaleShape());
        state.count = volume(workload.inputs[0], "quantization");
        state.wide = kQuantizes ? from : to;
        state.narrow = kQuantizes ? to : from;
        state.scale = workload.inputTypes[1].type;
        state.hasZero = workload.has(2);
        return launchOf<&run>;
    }

    static void run(State const& state, KernelCall const& call) {
        void const* const zeros = state.hasZero ? call.inputs[2] : nullptr;
        if constexpr (kQuantizes) {
            quantize(state, call.inputs[0], call.inputs[1], zeros, call.outputs[0]);
        } else {
            dequantize(state, call.inputs[0], call.inputs[1], zeros, call.outputs[0]);
        }
    }
};

} // namespace kiln::targets::cpu
