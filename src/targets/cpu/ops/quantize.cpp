// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// quantize: clamp(round(x / scale) + zero point), in float32. As a chain where the scale is
// broadcast like an operand; blocks, 4 bits and other types of scales by the plain kernel.
#include "graph/ops/quantize.h"

#include "targets/cpu/pointwise/kernel.h"
#include "targets/cpu/quantized_elements.h"

namespace kiln::targets::cpu {
namespace {

struct QuantizeReference {
    using Op = graph::Quantize;
    using State = Quantization;

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 2e-9; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.blocks = graph::scaleBlocks(workload.inputs[0], workload.inputs[1], op.scaleShape());
        state.count = volume(workload.inputs[0], "quantize");
        state.wide = workload.inputTypes[0].type;
        state.narrow = workload.outputTypes[0].type;
        state.scale = workload.inputTypes[1].type;
        state.hasZero = workload.has(2);
        return launchOf<&run>;
    }

    static void run(State const& state, KernelCall const& call) {
        quantize(state, call.inputs[0], call.inputs[1], state.hasZero ? call.inputs[2] : nullptr,
                 call.outputs[0]);
    }
};

} // namespace

void registerKernel_quantize(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Quantize>>("quantize_vector"));
    registry.add(entryOf<QuantizeReference>("quantize_reference"));
}

} // namespace kiln::targets::cpu
