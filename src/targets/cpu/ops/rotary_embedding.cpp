// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// RotaryEmbedding: (a, b) becomes (a cos - b sin, a sin + b cos) for the pairs of each head of
// [batch, heads, length, size]. float32, float16 and bfloat16, computed in float32. Threads share
// the rows; a row of 16-bit elements is converted as a whole. The loops have no branches and no
// calls, so that the compiler makes vectors of them.
#include "graph/ops/rotary_embedding.h"

#include <algorithm>

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

/// Rotates `count` pairs: a[i * step], b[i * step] with the angle i.
template <int64_t kStep>
void rotate(float const* a, float const* b, float const* cosines, float const* sines, int64_t count,
            float* __restrict toA, float* __restrict toB) {
    for (int64_t i = 0; i < count; ++i) {
        float const x = a[i * kStep];
        float const y = b[i * kStep];
        toA[i * kStep] = x * cosines[i] - y * sines[i];
        toB[i * kStep] = x * sines[i] + y * cosines[i];
    }
}

struct RotaryRows {
    using Op = graph::RotaryEmbedding;
    struct State {
        int64_t batch = 0;
        int64_t heads = 0;
        int64_t length = 0;
        int64_t size = 0;
        int64_t rotated = 0;
        int64_t tableBatch = 1;
        int64_t positions = -1; ///< rows of the tables if positions select them
        DataType positionType = DataType::kINT32;
        bool interleaved = false;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 3e-10; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& data = workload.inputs[Op::kData];
        Dims const& table = workload.inputs[Op::kCosines];
        bool const byPosition = workload.has(Op::kPositions);
        state.batch = data.d[0];
        state.heads = data.d[1];
        state.length = data.d[2];
        state.size = data.d[3];
        state.rotated = op.rotatedOf(data.d[3]);
        state.tableBatch = byPosition ? 1 : table.d[0];
        state.positions = byPosition ? table.d[0] : -1;
        state.interleaved = op.interleaved;
        if (byPosition) {
            state.positionType = workload.inputTypes[Op::kPositions].type;
        }
        return dispatchFloat(
            workload.type(), "rotary embedding",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    static constexpr int64_t kPairs = 512; ///< converted at once

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        int64_t const rows = state.batch * state.heads * state.length;
        auto const* const from = static_cast<T const*>(call.inputs[Op::kData]);
        auto* const to = static_cast<T*>(call.outputs[0]);
        parallelFor(rows, grainFor(state.size), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                T const* const x = from + row * state.size;
                T* const y = to + row * state.size;
                int64_t const angles = tableRow(state, call, row);
                int64_t const rotated = angles < 0 ? 0 : state.rotated;
                if (rotated > 0) {
                    int64_t const first = angles * (rotated / 2);
                    rotateRow(state, x, static_cast<T const*>(call.inputs[Op::kCosines]) + first,
                              static_cast<T const*>(call.inputs[Op::kSines]) + first, y);
                }
                std::copy(x + rotated, x + state.size, y + rotated);
            }
        });
    }

    /// The row of the tables for a row of the data; -1 if the tables are empty.
    static int64_t tableRow(State const& state, KernelCall const& call, int64_t row) {
        int64_t const place = row % state.length;
        int64_t const batch = row / (state.length * state.heads);
        if (state.positions < 0) {
            return (state.tableBatch == 1 ? 0 : batch) * state.length + place;
        }
        int64_t const position = integerAt(call.inputs[Op::kPositions], state.positionType,
                                           batch * state.length + place);
        return std::min(std::max<int64_t>(position, 0), state.positions - 1);
    }

    static void rotateRow(State const& state, float const* x, float const* cosines,
                          float const* sines, float* y) {
        int64_t const pairs = state.rotated / 2;
        if (state.interleaved) {
            rotate<2>(x, x + 1, cosines, sines, pairs, y, y + 1);
        } else {
            rotate<1>(x, x + pairs, cosines, sines, pairs, y, y + pairs);
        }
    }

    template <typename T>
    static void rotateRow(State const& state, T const* x, T const* cosines, T const* sines, T* y) {
        int64_t const pairs = state.rotated / 2;
        float tables[2][kPairs];
        float numbers[2 * kPairs];
        float results[2 * kPairs];
        for (int64_t first = 0; first < pairs; first += kPairs) {
            int64_t const count = std::min(kPairs, pairs - first);
            toFloats(cosines + first, tables[0], count);
            toFloats(sines + first, tables[1], count);
            if (state.interleaved) {
                toFloats(x + 2 * first, numbers, 2 * count);
                rotate<2>(numbers, numbers + 1, tables[0], tables[1], count, results, results + 1);
                fromFloats(results, y + 2 * first, 2 * count);
            } else {
                toFloats(x + first, numbers, count);
                toFloats(x + pairs + first, numbers + kPairs, count);
                rotate<1>(numbers, numbers + kPairs, tables[0], tables[1], count, results,
                          results + kPairs);
                fromFloats(results, y + first, count);
                fromFloats(results + kPairs, y + pairs + first, count);
            }
        }
    }
};

} // namespace

void registerKernel_rotary_embedding(KernelRegistry& registry) {
    registry.add(entryOf<RotaryRows>("rotary_embedding_rows"));
}

} // namespace kiln::targets::cpu
