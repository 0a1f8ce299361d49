// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// dynamic_quantize: the scale of a block is its largest magnitude, divided by the largest number of
// the output's type and by the factor (input 1), converted to the type of scales. Threads share the
// blocks, then the elements.
#include "graph/ops/dynamic_quantize.h"

#include <cmath>

#include "targets/cpu/block.h"
#include "targets/cpu/op_kernel.h"
#include "targets/cpu/pointwise/strided.h"
#include "targets/cpu/quantized_elements.h"

namespace kiln::targets::cpu {
namespace {

struct DynamicQuantizeReference {
    using Op = graph::DynamicQuantize;
    struct State {
        Quantization how;
        Dims data{};
        Dims blocks{};
        Dims scales{};
        int64_t scaleCount = 0;
        DataType factor = DataType::kFLOAT;
        bool hasFactor = false;
    };

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 3e-9; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.data = workload.inputs[0];
        state.scales = workload.outputs[1];
        state.blocks = op.blocksOf(state.data.nbDims);
        for (int32_t i = 0; i < state.data.nbDims; ++i) {
            int64_t& block = state.blocks.d[i];
            block = block < 0 ? std::max<int64_t>(state.data.d[i], 1) : block;
        }
        state.how.blocks = graph::scaleBlocks(state.data, state.scales, {-1, state.blocks});
        state.how.count = volume(state.data, "dynamic_quantize");
        state.how.wide = workload.type();
        state.how.narrow = op.toType;
        state.how.scale = op.scaleType;
        state.scaleCount = volume(state.scales, "scales of dynamic_quantize");
        state.hasFactor = workload.has(1);
        state.factor = state.hasFactor ? workload.inputTypes[1].type : DataType::kFLOAT;
        return launchOf<&run>;
    }

    static void run(State const& state, KernelCall const& call) {
        float const factor = state.hasFactor ? readElement(state.factor, call.inputs[1], 0) : 1.0F;
        float const most = graph::limitsOf(state.how.narrow).most * factor;
        int64_t elements = 1;
        for (int32_t i = 0; i < state.blocks.nbDims; ++i) {
            elements *= std::min(state.blocks.d[i], state.data.d[i]);
        }
        parallelFor(state.scaleCount, grainFor(elements), [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block) {
                float const scale = largestIn(state, call.inputs[0], block) / most;
                writeElements(state.how.scale, &scale, call.outputs[1], block, 1);
            }
        });
        quantize(state.how, call.inputs[0], call.outputs[1], nullptr, call.outputs[0], &factor);
    }

    /// The largest magnitude in a block; NaN if one is there.
    static float largestIn(State const& state, void const* from, int64_t block) noexcept {
        int32_t const rank = state.data.nbDims;
        std::array<int64_t, Dims::MAX_DIMS> first{};
        std::array<int64_t, Dims::MAX_DIMS> count{};
        int64_t rows = 1;
        for (int32_t i = rank; i-- > 0;) {
            auto const axis = static_cast<std::size_t>(i);
            first[axis] = block % state.scales.d[i] * state.blocks.d[i];
            block /= state.scales.d[i];
            count[axis] = std::min(state.blocks.d[i], state.data.d[i] - first[axis]);
            rows *= i == rank - 1 ? 1 : count[axis];
        }
        float largest = 0.0F;
        auto const last = static_cast<std::size_t>(rank - 1);
        for (int64_t row = 0; row < rows; ++row) {
            int64_t rest = row;
            int64_t offset = first[last];
            int64_t stride = state.data.d[rank - 1];
            for (int32_t i = rank - 1; i-- > 0;) {
                auto const axis = static_cast<std::size_t>(i);
                offset += (first[axis] + rest % count[axis]) * stride;
                rest /= count[axis];
                stride *= state.data.d[i];
            }
            forBlocks(0, count[last], [&](int64_t begin, int64_t length) {
                float numbers[kBlock];
                readDense(state.how.wide, from, offset + begin, length, numbers);
                for (int64_t i = 0; i < length; ++i) {
                    float const magnitude = std::fabs(numbers[i]);
                    largest = magnitude > largest || magnitude != magnitude ? magnitude : largest;
                }
            });
        }
        return largest;
    }
};

} // namespace

void registerKernel_dynamic_quantize(KernelRegistry& registry) {
    registry.add(entryOf<DynamicQuantizeReference>("dynamic_quantize_reference"));
}

} // namespace kiln::targets::cpu
