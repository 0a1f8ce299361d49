// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// MoE: gated linear units of the experts that are selected for each token, weighted and added.
// moe_sort sorts the pairs of a token and a slot by expert and lists tiles of 64 pairs of one
// expert. A block of moe_inner or moe_down computes 64 columns for a tile; see expert_tiles.cuh.
// moe_sum adds the results of each token in the order of its slots. KILN_INDEX: the type of expert
// numbers. KILN_INPUTS: number of operands, 6 to 11. KILN_QUANTIZES: 1 if the input of down is
// rounded to the numbers of KILN_NARROW times a scale of KILN_SCALE; 2 if moe_quantize does so by
// scales of blocks, of KILN_BLOCK_SCALE, that it computes, times a factor of KILN_FACTOR.
// KILN_MOST: the largest number of KILN_NARROW.
#include "expert_tiles.cuh"
#if KILN_QUANTIZES
#include "quantized_elements.cuh"
#endif

typedef KILN_INDEX Index;

struct Arguments {
    int64_t tokens;
    int64_t slots;
    int64_t experts;
    int64_t hidden;
    int64_t inner;
    int64_t tiles;
    int64_t innerAt; ///< in bytes of the workspace
    int64_t resultsAt;
    float limit;
    float alpha;
    float beta;
    int32_t silu;
    int32_t scaleByExpert; ///< 1: each expert has a scale of its own
    int64_t block;         ///< neighbours that share a scale
};

/// The parts of the workspace.
struct Work {
    int64_t* pairs;      ///< [pairs]: token * slots + slot, by expert
    int64_t* places;     ///< [pairs]: where a pair is in `pairs`; -1: its expert does not exist
    int64_t* begins;     ///< [experts + 1]: the first of each expert in `pairs`
    int64_t* ends;       ///< [experts + 1]: scratch memory of the sort
    int64_t* tileExpert; ///< [tiles]: -1 for unused tiles
    int64_t* tileBegin;  ///< [tiles]: in `pairs`
    Element* inner;      ///< [pairs][inner]
    float* results;      ///< [pairs][hidden]

    __device__ Work(void* memory, Arguments const& arguments) {
        int64_t const count = arguments.tokens * arguments.slots;
        pairs = static_cast<int64_t*>(memory);
        places = pairs + count;
        begins = places + count;
        ends = begins + arguments.experts + 1;
        tileExpert = ends + arguments.experts + 1;
        tileBegin = tileExpert + arguments.tiles;
        inner = reinterpret_cast<Element*>(static_cast<uint8_t*>(memory) + arguments.innerAt);
        results = reinterpret_cast<float*>(static_cast<uint8_t*>(memory) + arguments.resultsAt);
    }
};

// The operands: all that may be absent have a parameter only if something behind them is there.
#define KILN_FIRST                                                                                 \
    Element const *hidden, Index const *experts, Element const *scores, Element const *gate,       \
        Element const *up, Element const *down
#if KILN_INPUTS == 6
#define KILN_BIASES
#define gateBias static_cast<Element const*>(nullptr)
#define upBias static_cast<Element const*>(nullptr)
#define downBias static_cast<Element const*>(nullptr)
#elif KILN_INPUTS == 7
#define KILN_BIASES Element const *gateBias,
#define upBias static_cast<Element const*>(nullptr)
#define downBias static_cast<Element const*>(nullptr)
#elif KILN_INPUTS == 8
#define KILN_BIASES Element const *gateBias, Element const *upBias,
#define downBias static_cast<Element const*>(nullptr)
#elif KILN_INPUTS == 9
#define KILN_BIASES Element const *gateBias, Element const *upBias, Element const *downBias,
#elif KILN_INPUTS == 10
#define KILN_BIASES                                                                                \
    Element const *gateBias, Element const *upBias, Element const *downBias,                       \
        KILN_SCALE const *downScale,
#else
#define KILN_BIASES                                                                                \
    Element const *gateBias, Element const *upBias, Element const *downBias,                       \
        KILN_SCALE const *downScale, KILN_FACTOR const *downFactor,
#endif
#define KILN_OPERANDS KILN_FIRST, KILN_BIASES Element *to, void *memory, Arguments arguments

KILN_KERNEL void moe_sort(KILN_OPERANDS) {
    Work const work(memory, arguments);
    int64_t const count = arguments.tokens * arguments.slots;
    int64_t const thread = threadIdx.x;
    int64_t const step = blockDim.x;
    for (int64_t expert = thread; expert <= arguments.experts; expert += step) {
        work.ends[expert] = 0;
    }
    for (int64_t tile = thread; tile < arguments.tiles; tile += step) {
        work.tileExpert[tile] = -1;
    }
    __syncthreads();
    auto* const counters = reinterpret_cast<unsigned long long*>(work.ends);
    for (int64_t pair = thread; pair < count; pair += step) {
        int64_t const expert = static_cast<int64_t>(experts[pair]);
        bool const exists = expert >= 0 && expert < arguments.experts;
        // The place among the pairs of the expert: any order gives the same results.
        work.places[pair] =
            exists ? static_cast<int64_t>(atomicAdd(&counters[expert], 1ULL)) : -1;
    }
    __syncthreads();
    if (thread == 0) {
        int64_t begin = 0;
        int64_t tile = 0;
        for (int64_t expert = 0; expert < arguments.experts; ++expert) {
            int64_t const own = work.ends[expert];
            work.begins[expert] = begin;
            for (int64_t first = 0; first < own; first += kTile) {
                work.tileExpert[tile] = expert;
                work.tileBegin[tile] = begin + first;
                ++tile;
            }
            begin += own;
        }
        work.begins[arguments.experts] = begin;
    }
    __syncthreads();
    for (int64_t pair = thread; pair < count; pair += step) {
        if (work.places[pair] >= 0) {
            int64_t const place = work.begins[static_cast<int64_t>(experts[pair])] +
                                  work.places[pair];
            work.places[pair] = place;
            work.pairs[place] = pair;
        }
    }
}

__device__ inline float biasAt(Element const* bias, int64_t index) {
    return bias == nullptr ? 0.0F : toFloat(bias[index]);
}

/// act(gate) * up
__device__ inline float gated(float g, float u, Arguments const& arguments) {
    if (arguments.silu == 0) {
        return g * u;
    }
    g = arguments.limit < g ? arguments.limit : g; // NaN stays
    u = arguments.limit < u ? arguments.limit : u < -arguments.limit ? -arguments.limit : u;
    return g / (1.0F + expf(-arguments.alpha * g)) * (u + arguments.beta);
}

#if KILN_QUANTIZES == 1
/// The number as it is after quantization.
__device__ inline float narrowed(float number, KILN_SCALE const* scales, int64_t expert,
                                 Arguments const& arguments) {
    float const scale = toFloat(scales[arguments.scaleByExpert != 0 ? expert : 0]);
    return toFloat(elementOf<KILN_NARROW>(quantizedNumber<KILN_NARROW>(number, scale, 0.0F))) *
           scale;
}
#else
#define narrowed(number, scales, expert, arguments) (number)
#endif

/// What a block computes: a tile of pairs of one expert, and columns.
struct Task {
    int64_t expert;
    int64_t begin; ///< in Work::pairs
    int64_t rows;
    int64_t column;

    __device__ Task(Work const& work, int64_t task, int64_t across) {
        int64_t const tile = quotient(task, across);
        expert = work.tileExpert[tile];
        begin = expert < 0 ? 0 : work.tileBegin[tile];
        int64_t const rest = expert < 0 ? 0 : work.begins[expert + 1] - begin;
        rows = rest < kTile ? rest : kTile;
        column = (task - tile * across) * kTile;
    }
};

KILN_KERNEL void __launch_bounds__(kThreads) moe_inner(KILN_OPERANDS) {
    __shared__ Tiles<2> tiles;
    Work const work(memory, arguments);
    int64_t const across = (arguments.inner + kTile - 1) / kTile;
    for (int64_t number = blockIdx.x; number < arguments.tiles * across; number += gridDim.x) {
        Task const task(work, number, across);
        if (task.expert < 0) {
            continue;
        }
        for (int row = static_cast<int>(threadIdx.x); row < kTile; row += kThreads) {
            tiles.rows[row] = row < task.rows ? quotient(work.pairs[task.begin + row],
                                                         arguments.slots) *
                                                    arguments.hidden
                                              : -1;
        }
        __syncthreads();
        Sums sums[2] = {};
        int64_t const weights = task.expert * arguments.hidden * arguments.inner;
        multiplyAny<2>(tiles,
                       {hidden, {gate + weights, up + weights}, arguments.hidden, task.column,
                        arguments.inner},
                       sums);
        forSums([&](int row, int column, int i, int j) {
            int64_t const at = task.column + column;
            if (row < task.rows && at < arguments.inner) {
                int64_t const bias = task.expert * arguments.inner + at;
                float const number =
                    gated(sums[0][i][j] + biasAt(gateBias, bias),
                          sums[1][i][j] + biasAt(upBias, bias), arguments);
                work.inner[(task.begin + row) * arguments.inner + at] = fromFloat<Element>(
                    narrowed(number, downScale, task.expert, arguments));
            }
        });
        __syncthreads(); // the rows are written again
    }
}

#if KILN_QUANTIZES == 2
template <typename T>
__device__ inline float roundedTo(float number) {
    if constexpr (Elements<T>::kPacked) {
        return Nibble<T>::decode(Nibble<T>::encode(number));
    } else {
        return toFloat(elementOf<T>(number));
    }
}

/// A thread quantizes a block of the input of down.
KILN_KERNEL void moe_quantize(KILN_OPERANDS) {
    Work const work(memory, arguments);
    float const factor = toFloat(*downFactor);
    int64_t const across = (arguments.inner + arguments.block - 1) / arguments.block;
    int64_t const count = work.begins[arguments.experts] * across;
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const row = quotient(index, across);
        int64_t const first = (index - row * across) * arguments.block;
        int64_t const rest = arguments.inner - first;
        int64_t const size = rest < arguments.block ? rest : arguments.block;
        Element* const numbers = work.inner + row * arguments.inner + first;
        float largest = 0.0F;
        for (int64_t i = 0; i < size; ++i) {
            float const magnitude = fabsf(toFloat(numbers[i]));
            largest = magnitude != magnitude || magnitude > largest ? magnitude : largest;
        }
        float const scale = roundedTo<KILN_BLOCK_SCALE>(largest / (KILN_MOST * factor)) * factor;
        for (int64_t i = 0; i < size; ++i) {
            float const number = toFloat(numbers[i]);
            float const narrow =
                scale == 0.0F
                    ? 0.0F
                    : roundedTo<KILN_NARROW>(quantizedNumber<KILN_NARROW>(number, scale, 0.0F));
            numbers[i] = fromFloat<Element>(narrow * scale);
        }
    }
}
#endif

KILN_KERNEL void __launch_bounds__(kThreads) moe_down(KILN_OPERANDS) {
    __shared__ Tiles<1> tiles;
    Work const work(memory, arguments);
    int64_t const across = (arguments.hidden + kTile - 1) / kTile;
    for (int64_t number = blockIdx.x; number < arguments.tiles * across; number += gridDim.x) {
        Task const task(work, number, across);
        if (task.expert < 0) {
            continue;
        }
        for (int row = static_cast<int>(threadIdx.x); row < kTile; row += kThreads) {
            tiles.rows[row] = row < task.rows ? (task.begin + row) * arguments.inner : -1;
        }
        __syncthreads();
        Sums sums[1] = {};
        multiplyAny<1>(tiles,
                       {work.inner,
                        {down + task.expert * arguments.inner * arguments.hidden},
                        arguments.inner,
                        task.column,
                        arguments.hidden},
                       sums);
        forSums([&](int row, int column, int i, int j) {
            int64_t const at = task.column + column;
            if (row < task.rows && at < arguments.hidden) {
                float const bias = biasAt(downBias, task.expert * arguments.hidden + at);
                float const score = toFloat(scores[work.pairs[task.begin + row]]);
                work.results[(task.begin + row) * arguments.hidden + at] =
                    score * (sums[0][i][j] + bias);
            }
        });
        __syncthreads(); // the rows are written again
    }
}

KILN_KERNEL void moe_sum(KILN_OPERANDS) {
    Work const work(memory, arguments);
    int64_t const count = arguments.tokens * arguments.hidden;
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const token = quotient(index, arguments.hidden);
        int64_t const column = index - token * arguments.hidden;
        float sum = 0.0F;
        for (int64_t slot = 0; slot < arguments.slots; ++slot) {
            int64_t const place = work.places[token * arguments.slots + slot];
            if (place >= 0) {
                sum += work.results[place * arguments.hidden + column];
            }
        }
        to[index] = fromFloat<Element>(sum);
    }
}
