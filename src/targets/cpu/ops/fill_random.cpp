// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// fill with random numbers: uniform from alpha to beta, or normal with mean alpha and deviation
// beta. Each run of a kernel instance has other numbers, see random_numbers.h. Threads share the
// elements.
#include <algorithm>

#include "graph/ops/fill.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/random_numbers.h"

namespace kiln::targets::cpu {
namespace {

using graph::Fill;

/// Of kRandomLanes counters; room for two of each word.
using Numbers = std::array<float, 2 * kRandomBlock>;

/// Bits of a number in [0, 1) that the type represents exactly.
template <typename T>
constexpr int32_t kSignificantBits = std::is_same_v<T, float>  ? 24
                                     : std::is_same_v<T, Half> ? 11
                                                               : 8;

/// Uniform numbers of each word: one half is enough for a type of 16 bits.
template <typename T>
constexpr std::size_t kNumbersOfWord = sizeof(T) == 2 ? 2 : 1;

/// Numbers in [0, 1), in the order of the elements. The high half of a word comes first.
template <typename T>
void makeUniform(RandomWords const& words, Numbers& numbers) {
    constexpr std::size_t kParts = kNumbersOfWord<T>;
    for (std::size_t i = 0; i < kRandomLanes; ++i) {
        for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t part = 0; part < kParts; ++part) {
                numbers[(4 * i + k) * kParts + part] =
                    uniformNumber(words[k][i] << 16 * part, kSignificantBits<T>);
            }
        }
    }
}

/// Numbers with mean 0 and deviation 1: pairs by the polar form (Box and Muller, 1958).
void makeNormal(RandomWords const& words, Numbers& numbers) {
    for (std::size_t k = 0; k < 4; k += 2) {
        for (std::size_t i = 0; i < kRandomLanes; ++i) {
            float const radius = normalRadius(words[k][i]);
            Direction const direction = directionOf(words[k + 1][i]);
            numbers[4 * i + k] = radius * direction.cosine;
            numbers[4 * i + k + 1] = radius * direction.sine;
        }
    }
}

struct FillRandom {
    using Op = Fill;
    struct State {
        Op op;
        int64_t count = 0;
        bool readsAlpha = false;
        bool readsBeta = false;
        uint64_t run = 0; ///< counts the runs, also beyond a change of shape
    };

    static std::string refuse(Op const& op, NodeSpec const&) {
        return op.isRandom() ? std::string() : "expected random values";
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {op, volume(workload.outputs[0], "fill"), workload.has(Fill::kAlpha),
                 workload.has(Fill::kBeta), state.run};
        return dispatchFloat(op.type, "fill", [&](auto value) -> target::KernelFunction {
            using T = decltype(value);
            return op.operation == nvinfer1::FillOperation::kRANDOM_NORMAL
                       ? launchOf<&run<T, true>>
                       : launchOf<&run<T, false>>;
        });
    }

    static std::string failureText(State const&) { return {}; } // a launch never fails

private:
    template <typename T>
    static float parameter(KernelCall const& call, bool isOperand, Fill::Role role, double real,
                           int64_t whole, bool isWhole) {
        if (isOperand) {
            return load(*static_cast<T const*>(call.inputs[role]));
        }
        return isWhole ? static_cast<float>(whole) : static_cast<float>(real);
    }

    template <typename T, bool kNormal>
    static int32_t run(State& state, KernelCall const& call) {
        Op const& op = state.op;
        float const alpha =
            parameter<T>(call, state.readsAlpha, Fill::kAlpha, op.alpha, op.wholeAlpha, op.isWhole);
        float const beta =
            parameter<T>(call, state.readsBeta, Fill::kBeta, op.beta, op.wholeBeta, op.isWhole);
        float const factor = kNormal ? beta : beta - alpha;
        uint64_t const number = state.run++;
        auto* const to = static_cast<T*>(call.outputs[0]);
        constexpr auto kBlock =
            kRandomBlock * static_cast<int64_t>(kNormal ? 1 : kNumbersOfWord<T>);
        int64_t const blocks = (state.count + kBlock - 1) / kBlock;
        parallelFor(blocks, grainFor(4 * kBlock), [&](int64_t begin, int64_t end) {
            Numbers numbers;
            for (int64_t block = begin; block < end; ++block) {
                RandomWords const words =
                    randomWords(op.seed, number, static_cast<uint64_t>(block) * kRandomLanes);
                kNormal ? makeNormal(words, numbers) : makeUniform<T>(words, numbers);
                int64_t const first = block * kBlock;
                int64_t const many = std::min(kBlock, state.count - first);
                for (int64_t i = 0; i < many; ++i) {
                    float const scaled = numbers[static_cast<std::size_t>(i)] * factor;
                    to[first + i] = store<T>(scaled + alpha);
                }
            }
        });
        return 0;
    }
};

} // namespace

void registerKernel_fill_random(KernelRegistry& registry) {
    registry.add(entryOf<FillRandom>("fill_random"));
}

} // namespace kiln::targets::cpu
