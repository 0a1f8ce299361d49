// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// MoE: gated linear units of the experts that are selected for each token, weighted and added.
// float32, float16 and bfloat16, summed in float32. Pairs of a token and one of its experts are
// sorted by expert, so that each product has the rows of one expert. First come the products of
// gate and up: threads share the tiles of columns of all experts. Then those of down: a thread has
// columns of its own, so that results are added without locks, always in the same order.
#include "graph/ops/moe.h"

#include <algorithm>
#include <cmath>

#include "base/narrow_numbers.h"
#include "graph/quantization.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/pointwise/strided.h"
#include "targets/cpu/quantized_elements.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

struct MoEState {
    graph::MoE op;
    graph::MoESizes sizes;
    std::size_t inputs = 0; ///< biases at the end may be left out
    DataType expertType = DataType::kINT32;
    DataType scaleType = DataType::kFLOAT; ///< of the quantized input of down
    bool scaleByExpert = false;
    DataType factorType = DataType::kFLOAT; ///< of the scales of blocks
};

/// The scale of an expert's input of down.
float scaleOf(MoEState const& state, KernelCall const& call, int64_t expert) {
    void const* const all = call.inputs[graph::MoE::kDownScale];
    int64_t const at = state.scaleByExpert ? expert : 0;
    float scale = 0.0F;
    dispatchFloat(state.scaleType, "MoE",
                  [&](auto value) { scale = load(static_cast<decltype(value) const*>(all)[at]); });
    return scale;
}

/// Numbers as they are after rounding to the quantized type.
void quantize(DataType type, float scale, float* numbers, int64_t count) {
    if (type == DataType::kFP8) {
        for (int64_t i = 0; i < count; ++i) {
            numbers[i] = fp8ToFloat(floatToFp8(numbers[i] / scale)) * scale;
        }
        return;
    }
    graph::Limits const limits = graph::limitsOf(type);
    for (int64_t i = 0; i < count; ++i) {
        float const rounded = std::nearbyint(numbers[i] / scale);
        float const inside = std::min(std::max(rounded, limits.least), limits.most);
        numbers[i] = inside * scale;
    }
}

/// Rounds to the numbers of a type of at most 8 bits.
void roundTo(DataType type, float* numbers, int64_t count) {
    constexpr int64_t kPart = 64;
    std::byte narrow[kPart];
    for (int64_t first = 0; first < count; first += kPart) {
        int64_t const part = std::min(kPart, count - first);
        writeDense(type, numbers + first, narrow, 0, part);
        readDense(type, narrow, 0, part, numbers + first);
    }
}

/// Quantizes a row by blocks, whose scale is their largest magnitude, divided by the largest number
/// of the type and by the factor, and rounded to the type of scales.
void quantizeBlocks(graph::MoE const& op, float factor, float* row, int64_t count) {
    graph::Limits const limits = graph::limitsOf(op.quantizedType);
    bool const isWhole = graph::isWholeQuantized(op.quantizedType);
    for (int64_t first = 0; first < count; first += op.blockSize()) {
        int64_t const size = std::min(op.blockSize(), count - first);
        float* const numbers = row + first;
        float largest = 0.0F;
        for (int64_t i = 0; i < size; ++i) {
            float const magnitude = std::fabs(numbers[i]);
            largest = magnitude > largest || magnitude != magnitude ? magnitude : largest;
        }
        float rounded = largest / (limits.most * factor);
        float scale = 0.0F;
        writeElements(op.scaleType, &rounded, &scale, 0, 1);
        scale = readElement(op.scaleType, &scale, 0) * factor;
        for (int64_t i = 0; i < size; ++i) {
            float const number = scale == 0.0F ? 0.0F : numbers[i] / scale;
            numbers[i] = isWhole ? std::nearbyint(number) : number;
        }
        roundTo(op.quantizedType, numbers, size);
        for (int64_t i = 0; i < size; ++i) {
            numbers[i] *= scale;
        }
    }
}

/// The parts of the workspace.
struct MoEWork {
    int64_t* begins; ///< [experts + 1]: the first pair of each expert in `pairs`
    int64_t* pairs;  ///< [pairs]: by expert
    float* inner;    ///< [pairs][inner]: what `down` reads, in the order of `pairs`
    float* sums;     ///< [tokens][hidden]

    MoEWork(graph::MoESizes const& sizes, void* workspace) {
        begins = static_cast<int64_t*>(workspace);
        pairs = begins + sizes.experts + 1;
        inner = reinterpret_cast<float*>(pairs + sizes.pairs());
        sums = inner + sizes.pairs() * sizes.inner;
    }

    static std::size_t bytes(graph::MoESizes const& sizes) {
        int64_t const whole = sizes.experts + 1 + sizes.pairs();
        int64_t const real = sizes.pairs() * sizes.inner + sizes.tokens * sizes.hidden;
        return static_cast<std::size_t>(whole) * sizeof(int64_t) +
               static_cast<std::size_t>(real) * sizeof(float);
    }
};

/// Sorts the pairs by expert. Those of experts that do not exist are left out.
void sortPairs(MoEState const& state, KernelCall const& call, MoEWork const& work) {
    graph::MoESizes const& sizes = state.sizes;
    auto const expertOf = [&](int64_t pair) {
        return integerAt(call.inputs[graph::MoE::kExperts], state.expertType, pair);
    };
    auto const exists = [&](int64_t expert) { return expert >= 0 && expert < sizes.experts; };
    std::fill_n(work.begins, sizes.experts + 1, 0);
    for (int64_t pair = 0; pair < sizes.pairs(); ++pair) {
        int64_t const expert = expertOf(pair);
        if (exists(expert)) {
            ++work.begins[expert + 1];
        }
    }
    for (int64_t expert = 0; expert < sizes.experts; ++expert) {
        work.begins[expert + 1] += work.begins[expert];
    }
    for (int64_t pair = 0; pair < sizes.pairs(); ++pair) {
        int64_t const expert = expertOf(pair);
        if (exists(expert)) {
            work.pairs[work.begins[expert]++] = pair;
        }
    }
    for (int64_t expert = sizes.experts; expert > 0; --expert) { // they were moved to the ends
        work.begins[expert] = work.begins[expert - 1];
    }
    work.begins[0] = 0;
}

constexpr int64_t kFewRows = 12;

/// sums[rows][kTileColumns] += a * weights, whose rows are `row` elements long. The first `columns`
/// of the weights are taken.
template <typename T>
void addProduct(float const* a, int64_t lda, T const* weights, int64_t row, int64_t rows,
                int64_t columns, int64_t depth, float* packed, float* sums) {
    float const* b = packed;
    int64_t ldb = kTileColumns;
    // Few rows pass over the weights once; rows of a page's distance would leave the L1 cache.
    if (std::is_same_v<T, float> && columns == kTileColumns && rows <= kFewRows) {
        b = reinterpret_cast<float const*>(weights);
        ldb = row;
    } else {
        packRows(weights, row, 1, depth, columns, packed, kTileColumns);
        for (int64_t k = 0; k < depth; ++k) {
            std::fill_n(packed + k * kTileColumns + columns, paddedColumns(columns) - columns,
                        0.0F);
        }
    }
    isa().tileProduct(rows, columns, depth, a, lda, b, ldb, sums);
}

/// Starts sums with a bias, or with 0.
template <typename T>
void startSums(T const* bias, int64_t rows, int64_t columns, float* sums) {
    std::fill_n(sums, rows * kTileColumns, 0.0F);
    if (bias != nullptr) {
        for (int64_t row = 0; row < rows; ++row) {
            toFloats(bias, sums + row * kTileColumns, columns);
        }
    }
}

struct MoETiles {
    using Op = graph::MoE;
    using State = MoEState;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        std::string const reason = refuseUnlessFloat(node);
        return reason.empty()
                   ? graph::moeRefusal(op, {node.has(Op::kGate), node.has(Op::kDownScale),
                                            node.has(Op::kDoubleScale)})
                   : reason;
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        return MoEWork::bytes(graph::moeSizes(workload.inputs));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {op, graph::moeSizes(workload.inputs), workload.inputs.size(),
                 workload.inputTypes[Op::kExperts].type};
        if (workload.has(Op::kDownScale)) {
            state.scaleType = workload.inputTypes[Op::kDownScale].type;
            state.scaleByExpert = volume(workload.inputs[Op::kDownScale], "scale") > 1;
        }
        if (workload.has(Op::kDoubleScale)) {
            state.factorType = workload.inputTypes[Op::kDoubleScale].type;
        }
        return dispatchFloat(workload.type(), "MoE", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        graph::MoESizes const& sizes = state.sizes;
        if (sizes.tokens * sizes.hidden == 0) {
            return;
        }
        MoEWork const work(sizes, call.workspace);
        sortPairs(state, call, work);
        int64_t const each =
            std::max<int64_t>(1, sizes.pairs() / std::max<int64_t>(1, sizes.experts));
        int64_t const steps = kTileColumns * each;
        int64_t const across = tilesOf(sizes.inner, kTileColumns);
        parallelFor(sizes.experts * across, grainFor(steps * sizes.hidden / 4),
                    [&](int64_t begin, int64_t end) {
                        Tile tile;
                        for (int64_t task = begin; task < end; ++task) {
                            computeInner<T>(state, call, work, task / across,
                                            task % across * kTileColumns, tile);
                        }
                    });
        if (state.op.quantizesBlocks()) {
            float const factor = readElement(state.factorType, call.inputs[Op::kDoubleScale], 0);
            parallelFor(work.begins[sizes.experts], grainFor(sizes.inner),
                        [&](int64_t begin, int64_t end) {
                            for (int64_t row = begin; row < end; ++row) {
                                quantizeBlocks(state.op, factor, work.inner + row * sizes.inner,
                                               sizes.inner);
                            }
                        });
        }
        parallelFor(tilesOf(sizes.hidden, kTileColumns),
                    grainFor(kTileColumns * sizes.pairs() * sizes.inner / 8),
                    [&](int64_t begin, int64_t end) {
                        Tile tile;
                        for (int64_t task = begin; task < end; ++task) {
                            computeOutput<T>(state, call, work, task * kTileColumns, tile);
                        }
                    });
    }

    /// The operand of one expert from a column on; null if it is absent.
    template <typename T>
    static T const* ofExpert(State const& state, KernelCall const& call, Op::Role role,
                             int64_t stride, int64_t expert, int64_t column) {
        auto const number = static_cast<std::size_t>(role);
        auto const* all =
            number < state.inputs ? static_cast<T const*>(call.inputs[number]) : nullptr;
        return all == nullptr ? nullptr : all + expert * stride + column;
    }

    /// Columns of what `down` reads, for all tokens of one expert.
    template <typename T>
    static void computeInner(State const& state, KernelCall const& call, MoEWork const& work,
                             int64_t expert, int64_t column, Tile& tile) {
        graph::MoESizes const& sizes = state.sizes;
        int64_t const columns = std::min(kTileColumns, sizes.inner - column);
        int64_t const stride = sizes.hidden * sizes.inner;
        T const* const gate = ofExpert<T>(state, call, Op::kGate, stride, expert, column);
        T const* const up = ofExpert<T>(state, call, Op::kUp, stride, expert, column);
        auto const* hidden = static_cast<T const*>(call.inputs[Op::kHidden]);
        alignas(64) float ups[kTileRows * kTileColumns];
        int64_t const end = work.begins[expert + 1];
        for (int64_t first = work.begins[expert]; first < end; first += kTileRows) {
            int64_t const rows = std::min(kTileRows, end - first);
            startSums(ofExpert<T>(state, call, Op::kGateBias, sizes.inner, expert, column), rows,
                      columns, tile.c);
            startSums(ofExpert<T>(state, call, Op::kUpBias, sizes.inner, expert, column), rows,
                      columns, ups);
            for (int64_t k = 0; k < sizes.hidden; k += kTileDepth) {
                int64_t const depth = std::min(kTileDepth, sizes.hidden - k);
                for (int64_t row = 0; row < rows; ++row) {
                    int64_t const token = work.pairs[first + row] / sizes.slots;
                    toFloats(hidden + token * sizes.hidden + k, tile.a + row * kTileDepth, depth);
                }
                addProduct(tile.a, kTileDepth, gate + k * sizes.inner, sizes.inner, rows, columns,
                           depth, tile.b, tile.c);
                addProduct(tile.a, kTileDepth, up + k * sizes.inner, sizes.inner, rows, columns,
                           depth, tile.b, ups);
            }
            for (int64_t row = 0; row < rows; ++row) {
                float* const to = work.inner + (first + row) * sizes.inner + column;
                combine(state.op, tile.c + row * kTileColumns, ups + row * kTileColumns, columns,
                        to);
                if (state.op.quantizedType != DataType::kFLOAT && !state.op.quantizesBlocks()) {
                    quantize(state.op.quantizedType, scaleOf(state, call, expert), to, columns);
                }
            }
        }
    }

    /// act(gate) * up
    static void combine(Op const& op, float* gate, float* up, int64_t count, float* to) {
        if (op.activation == nvinfer1::MoEActType::kSILU) {
            float weights[kTileColumns];
            for (int64_t i = 0; i < count; ++i) { // NaN stays
                gate[i] = op.limit < gate[i] ? op.limit : gate[i];
                up[i] = op.limit < up[i] ? op.limit : up[i] < -op.limit ? -op.limit : up[i];
                up[i] += op.beta;
                weights[i] = op.alpha * gate[i];
            }
            constexpr auto kSigmoid = static_cast<std::size_t>(MapFunction::kSigmoid);
            isa().maps[kSigmoid](weights, weights, count, 0.0F, 0.0F);
            for (int64_t i = 0; i < count; ++i) {
                gate[i] *= weights[i];
            }
        }
        for (int64_t i = 0; i < count; ++i) {
            to[i] = gate[i] * up[i];
        }
    }

    /// Columns of the result.
    template <typename T>
    static void computeOutput(State const& state, KernelCall const& call, MoEWork const& work,
                              int64_t column, Tile& tile) {
        graph::MoESizes const& sizes = state.sizes;
        int64_t const columns = std::min(kTileColumns, sizes.hidden - column);
        for (int64_t token = 0; token < sizes.tokens; ++token) {
            std::fill_n(work.sums + token * sizes.hidden + column, columns, 0.0F);
        }
        for (int64_t expert = 0; expert < sizes.experts; ++expert) {
            T const* const down =
                ofExpert<T>(state, call, Op::kDown, sizes.inner * sizes.hidden, expert, column);
            int64_t const end = work.begins[expert + 1];
            for (int64_t first = work.begins[expert]; first < end; first += kTileRows) {
                int64_t const rows = std::min(kTileRows, end - first);
                startSums(ofExpert<T>(state, call, Op::kDownBias, sizes.hidden, expert, column),
                          rows, columns, tile.c);
                for (int64_t k = 0; k < sizes.inner; k += kTileDepth) {
                    addProduct(work.inner + first * sizes.inner + k, sizes.inner,
                               down + k * sizes.hidden, sizes.hidden, rows, columns,
                               std::min(kTileDepth, sizes.inner - k), tile.b, tile.c);
                }
                addRows<T>(state, call, work, first, rows, column, columns, tile.c);
            }
        }
        auto* const to = static_cast<T*>(call.outputs[0]);
        for (int64_t token = 0; token < sizes.tokens; ++token) {
            int64_t const at = token * sizes.hidden + column;
            fromFloats(work.sums + at, to + at, columns);
        }
    }

    /// Adds results of some pairs to those of their tokens.
    template <typename T>
    static void addRows(State const& state, KernelCall const& call, MoEWork const& work,
                        int64_t first, int64_t rows, int64_t column, int64_t columns,
                        float const* results) {
        auto const* scores = static_cast<T const*>(call.inputs[Op::kScores]);
        for (int64_t row = 0; row < rows; ++row) {
            int64_t const pair = work.pairs[first + row];
            float const score = load(scores[pair]);
            float* const sums = work.sums + pair / state.sizes.slots * state.sizes.hidden + column;
            for (int64_t i = 0; i < columns; ++i) {
                sums[i] += score * results[row * kTileColumns + i];
            }
        }
    }
};

} // namespace

void registerKernel_moe(KernelRegistry& registry) {
    registry.add(entryOf<MoETiles>("moe_tiles"));
}

} // namespace kiln::targets::cpu
