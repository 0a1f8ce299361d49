// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// normalization: (x - mean) / sqrt(variance + epsilon) * scale + bias over sets of elements; the
// mean is 0 if the op does not center.
// float32, float16 and bfloat16. The fast kernel requires that the last axis is normalized, so that
// elements lie in rows. Sets of one row, as in layer normalization, use vector functions. Others
// sum blocks of float32 in several lanes and the blocks in float64. The mean is subtracted before
// the squares are summed. Threads share the sets.
#include "graph/ops/normalization.h"

#include "target/workload/normalization.h"
#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using target::NormalizationWorkload;

struct NormalizationState {
    NormalizationWorkload loops;
    double epsilon = 0.0;
    bool centers = true;
};

/// Sum of (from[i] - shift) ^ kPower, of at most kBlock elements. Lanes keep the sum exact and let
/// compilers use vectors.
template <int kPower>
float sumOf(float const* from, float shift, int64_t count) noexcept {
    constexpr int64_t kLanes = 16;
    float sums[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (int64_t lane = 0; lane < kLanes; ++lane) {
            float const x = from[i + lane] - shift;
            sums[lane] += kPower == 1 ? x : x * x;
        }
    }
    for (int64_t lane = 0; i + lane < count; ++lane) {
        float const x = from[i + lane] - shift;
        sums[lane] += kPower == 1 ? x : x * x;
    }
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
        for (int64_t lane = 0; lane < width; ++lane) {
            sums[lane] += sums[lane + width];
        }
    }
    return sums[0];
}

struct NormalizationRows {
    using Op = graph::Normalization;
    using State = NormalizationState;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (!op.normalizes(node.inputs[0].opt.nbDims - 1)) {
            return "expected the last axis to be normalized";
        }
        return refuseUnlessFloat(node);
    }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 1e-9; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {target::normalizationWorkload(op, workload), static_cast<double>(op.epsilon),
                 op.centers};
        NormalizationWorkload const& loops = state.loops;
        if (loops.values.inner() > 1 && loops.values.innerStride(0) != 1) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'normalization_rows': expected rows in memory, got {}. Build the "
                 "plan again.",
                 toText(workload.inputs[0]));
        }
        return dispatchFloat(
            workload.type(), "normalization",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* x = static_cast<T const*>(call.inputs[0]);
        auto const* scale = static_cast<T const*>(call.inputs[1]);
        auto const* bias = static_cast<T const*>(call.inputs[2]);
        auto* to = static_cast<T*>(call.outputs[0]);
        NormalizationWorkload const& loops = state.loops;
        bool const single = isSingleRow<T>(loops);
        parallelFor(loops.sets.count(), grainFor(2 * loops.members.count()),
                    [&](int64_t begin, int64_t end) {
                        if (single) {
                            normalizeRows(state, x, scale, bias, to, begin, end);
                            return;
                        }
                        for (int64_t set = begin; set < end; ++set) {
                            auto const at = loops.sets.atElement(set);
                            normalizeSet(state, x + at[0], scale + at[1], bias + at[2], to + at[0]);
                        }
                    });
    }

    /// Rows of 16-bit types, scales and biases are copied to each thread's stack.
    static constexpr int64_t kLongestHalfRow = 4096;

    /// Whether a set is one row, with scale and bias for each of its elements.
    template <typename T>
    static bool isSingleRow(NormalizationWorkload const& loops) {
        int64_t const width = loops.members.inner();
        return loops.members.rank() == 1 && loops.values.rank() == 1 &&
               loops.members.innerStride(1) == 1 && loops.members.innerStride(2) == 1 &&
               (std::is_same_v<T, float> || width <= kLongestHalfRow);
    }

    static void normalizeRow(State const& state, float const* x, float const* scale,
                             float const* bias, float* to) {
        int64_t const width = state.loops.members.inner();
        auto const [center, variance] = isa().moments(x, width);
        if (state.centers) {
            double const factor = 1.0 / std::sqrt(variance + state.epsilon);
            isa().normalize(x, center, factor, scale, bias, to, width);
            return;
        }
        // The mean of squares is the variance plus the square of the mean.
        double const squares = variance + center * center;
        double const factor = 1.0 / std::sqrt(squares + state.epsilon);
        isa().normalize(x, 0.0, factor, scale, bias, to, width);
    }

    static void normalizeRows(State const& state, float const* x, float const* scale,
                              float const* bias, float* to, int64_t begin, int64_t end) {
        for (int64_t set = begin; set < end; ++set) {
            auto const at = state.loops.sets.atElement(set);
            normalizeRow(state, x + at[0], scale + at[1], bias + at[2], to + at[0]);
        }
    }

    template <typename T>
    static void normalizeRows(State const& state, T const* x, T const* scale, T const* bias, T* to,
                              int64_t begin, int64_t end) {
        alignas(64) float row[kLongestHalfRow];
        alignas(64) float scales[kLongestHalfRow];
        alignas(64) float biases[kLongestHalfRow];
        int64_t const width = state.loops.members.inner();
        int64_t scalesAt = -1;
        int64_t biasesAt = -1;
        for (int64_t set = begin; set < end; ++set) {
            auto const at = state.loops.sets.atElement(set);
            if (at[1] != scalesAt) { // all sets have the same, as a rule
                toFloats(scale + at[1], scales, width);
                scalesAt = at[1];
            }
            if (at[2] != biasesAt) {
                toFloats(bias + at[2], biases, width);
                biasesAt = at[2];
            }
            toFloats(x + at[0], row, width);
            normalizeRow(state, row, scales, biases, row);
            fromFloats(row, to + at[0], width);
        }
    }

    /// Sum of (x - shift) ^ kPower over a set.
    template <int kPower, typename T>
    static double sumOfSet(Nest<1> const& values, T const* x, float shift) {
        double sum = 0.0;
        for (int64_t row = 0; row < values.rows(); ++row) {
            T const* from = x + values.atRow(row)[0];
            for (int64_t i = 0; i < values.inner(); i += kBlock) {
                float buffer[kBlock];
                int64_t const count = std::min(kBlock, values.inner() - i);
                sum += static_cast<double>(
                    sumOf<kPower>(readBlock(from + i, 1, count, buffer), shift, count));
            }
        }
        return sum;
    }

    template <typename T>
    static void normalizeSet(State const& state, T const* x, T const* scale, T const* bias, T* to) {
        NormalizationWorkload const& loops = state.loops;
        auto const elements = static_cast<double>(loops.values.count());
        auto const mean =
            static_cast<float>(state.centers ? sumOfSet<1>(loops.values, x, 0.0F) / elements : 0.0);
        double const variance = sumOfSet<2>(loops.values, x, mean) / elements;
        auto const factor = static_cast<float>(1.0 / std::sqrt(variance + state.epsilon));
        int64_t const inner = loops.members.inner();
        int64_t const steps[] = {loops.members.innerStride(1), loops.members.innerStride(2)};
        for (int64_t row = 0; row < loops.members.rows(); ++row) {
            auto const at = loops.members.atRow(row);
            for (int64_t i = 0; i < inner; i += kBlock) {
                int64_t const count = std::min(kBlock, inner - i);
                normalizeBlock(x + at[0] + i, mean, factor, scale + at[1] + i * steps[0], steps[0],
                               bias + at[2] + i * steps[1], steps[1], to + at[0] + i, count);
            }
        }
    }

    template <typename T>
    static void normalizeBlock(T const* x, float mean, float factor, T const* scale,
                               int64_t scaleStep, T const* bias, int64_t biasStep, T* to,
                               int64_t count) {
        float buffers[3][kBlock];
        float const* const values = readBlock(x, 1, count, buffers[0]);
        float const* const scales = readBlock(scale, scaleStep, count, buffers[1]);
        float const* const biases = readBlock(bias, biasStep, count, buffers[2]);
        float* result = buffers[0];
        if constexpr (std::is_same_v<T, float>) {
            result = to;
        }
        for (int64_t i = 0; i < count; ++i) {
            result[i] = (values[i] - mean) * factor * scales[i] + biases[i];
        }
        if constexpr (!std::is_same_v<T, float>) {
            fromFloats(result, to, count);
        }
    }
};

struct NormalizationReference {
    using Op = graph::Normalization;
    using State = NormalizationState;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 2e-8; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {target::normalizationWorkload(op, workload), static_cast<double>(op.epsilon),
                 op.centers};
        return dispatchFloat(
            workload.type(), "normalization",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* x = static_cast<T const*>(call.inputs[0]);
        auto const* scale = static_cast<T const*>(call.inputs[1]);
        auto const* bias = static_cast<T const*>(call.inputs[2]);
        auto* to = static_cast<T*>(call.outputs[0]);
        NormalizationWorkload const& loops = state.loops;
        parallelFor(loops.sets.count(), grainFor(4 * loops.members.count()),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t set = begin; set < end; ++set) {
                            auto const at = loops.sets.atElement(set);
                            normalizeSet(state, x + at[0], scale + at[1], bias + at[2], to + at[0]);
                        }
                    });
    }

    template <typename T>
    static void normalizeSet(State const& state, T const* x, T const* scale, T const* bias, T* to) {
        Nest<3> const& members = state.loops.members;
        int64_t const count = members.count();
        auto const number = [](T value) { return static_cast<double>(load(value)); };
        double sum = 0.0;
        for (int64_t i = 0; state.centers && i < count; ++i) {
            sum += number(x[members.atElement(i)[0]]);
        }
        double const mean = sum / static_cast<double>(count);
        double squares = 0.0;
        for (int64_t i = 0; i < count; ++i) {
            double const difference = number(x[members.atElement(i)[0]]) - mean;
            squares += difference * difference;
        }
        double const factor = 1.0 / std::sqrt(squares / static_cast<double>(count) + state.epsilon);
        for (int64_t i = 0; i < count; ++i) {
            auto const at = members.atElement(i);
            double const result =
                (number(x[at[0]]) - mean) * factor * number(scale[at[1]]) + number(bias[at[2]]);
            to[at[0]] = store<T>(static_cast<float>(result));
        }
    }
};

} // namespace

void registerKernel_normalization(KernelRegistry& registry) {
    registry.add(entryOf<NormalizationRows>("normalization_rows"));
    registry.add(entryOf<NormalizationReference>("normalization_reference"));
}

} // namespace kiln::targets::cpu
