// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ragged_softmax: softmax over the first elements of each row, zeros behind them. float32, float16
// and bfloat16, computed in float32; bounds are int32 or int64. Threads share the rows.
#include "graph/ops/ragged_softmax.h"

#include <algorithm>

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct RaggedSoftMaxRows {
    using Op = graph::RaggedSoftMax;
    struct State {
        int64_t rows = 0;
        int64_t length = 0;
        DataType bounds = DataType::kINT32;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }
    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 1e-9; }

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        Dims const& dims = workload.inputs[0];
        state.length = dims.d[dims.nbDims - 1];
        state.rows = volume(workload.inputs[Op::kBounds], "bounds");
        state.bounds = workload.inputTypes[Op::kBounds].type;
        return dispatchFloat(
            workload.type(), "ragged softmax",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(state.rows, grainFor(state.length * 4), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                int64_t const bound = integerAt(call.inputs[Op::kBounds], state.bounds, row);
                int64_t const count = std::clamp<int64_t>(bound, 0, state.length);
                T* const target = to + row * state.length;
                normalize(from + row * state.length, target, count);
                std::fill(target + count, target + state.length, T{});
            }
        });
    }

    template <typename T>
    static void normalize(T const* from, T* to, int64_t count) {
        if constexpr (std::is_same_v<T, float>) {
            if (count > 0) {
                isa().softmax(from, to, count);
            }
            return;
        }
        // Long rows are read three times, in blocks.
        float buffer[kBlock];
        float largest = -std::numeric_limits<float>::infinity();
        forBlocks(0, count, [&](int64_t first, int64_t length) {
            largest = std::max(largest,
                               isa().maximum(readBlock(from + first, 1, length, buffer), length));
        });
        double sum = 0.0;
        forBlocks(0, count, [&](int64_t first, int64_t length) {
            sum += isa().exp(readBlock(from + first, 1, length, buffer), largest, buffer, length);
        });
        forBlocks(0, count, [&](int64_t first, int64_t length) {
            isa().exp(readBlock(from + first, 1, length, buffer), largest, buffer, length);
            isa().maps[static_cast<std::size_t>(MapFunction::kLinear)](
                buffer, buffer, length, static_cast<float>(1.0 / sum), 0.0F);
            fromFloats(buffer, to + first, length);
        });
    }
};

} // namespace

void registerKernel_ragged_softmax(KernelRegistry& registry) {
    registry.add(entryOf<RaggedSoftMaxRows>("ragged_softmax_rows"));
}

} // namespace kiln::targets::cpu
