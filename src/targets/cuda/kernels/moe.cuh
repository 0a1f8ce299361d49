// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// MoE: gated linear units of the experts that are selected for each token, weighted and added.
// moe_sort sorts the pairs of a token and a slot by expert and lists tiles of 64 pairs of one
// expert. A block of moe_inner or moe_down, 4 warps, computes 64 columns for a tile, summed in
// float: with the matrix units for half and bfloat16 (KILN_UNITS), else 8 by 4 results per thread.
// moe_sum adds the results of each token in the order of its slots. KILN_ELEMENT: the type.
// KILN_INDEX: the type of expert numbers. KILN_INPUTS: number of operands, 6 to 11.
#include "threads.cuh"
#if KILN_UNITS
#include "matrix_units.cuh"
#endif

typedef KILN_ELEMENT Element;
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
};

constexpr int kTile = 64; ///< rows and columns of a block
constexpr int kThreads = 128;
constexpr int kDepth = KILN_UNITS ? 32 : 16;

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
    Element const *gateBias, Element const *upBias, Element const *downBias, void const *,
#else
#define KILN_BIASES                                                                                \
    Element const *gateBias, Element const *upBias, Element const *downBias, void const *,         \
        void const *,
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

/// Sums of a thread.
#if KILN_UNITS
constexpr int kSums = kTile / 8; ///< of 16 rows and 8 columns, as matrix_units.cuh has them
typedef float Sums[kSums][4];
#else
constexpr int kRowsEach = 8;
constexpr int kColumnsEach = 4;
typedef float Sums[kRowsEach][kColumnsEach];
#endif

/// Calls visit(row, column, i, j) for each sum [i][j] of this thread.
template <typename Visit>
__device__ inline void forSums(Visit const& visit) {
    int const thread = static_cast<int>(threadIdx.x);
#if KILN_UNITS
    int const lane = thread % 32;
    int const row = thread / 32 * 16 + lane / 4;
    int const column = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            visit(row + (j / 2) * 8, i * 8 + column + j % 2, i, j);
        }
    }
#else
#pragma unroll
    for (int i = 0; i < kRowsEach; ++i) {
#pragma unroll
        for (int j = 0; j < kColumnsEach; ++j) {
            visit(thread / 16 + i * 8, thread % 16 + j * 16, i, j);
        }
    }
#endif
}

constexpr int kVector = 16 / static_cast<int>(sizeof(Element)); ///< elements moved at once

#if KILN_UNITS
// Rows begin at different banks, at multiples of 16 bytes.
constexpr int kStages = 2; ///< one is loaded while the other one is multiplied
constexpr int kLeftPitch = kDepth + 8;
constexpr int kRightPitch = kTile + 8;
typedef Element Shared;
#else
constexpr int kStages = 1;
constexpr int kLeftPitch = kDepth + 1;
constexpr int kRightPitch = kTile + 1;
typedef float Shared;
#endif
struct LeftTile {
    alignas(16) Shared at[kTile][kLeftPitch];
};
struct RightTile {
    alignas(16) Shared at[kDepth][kRightPitch];
};

/// kSets products with the same rows.
template <int kSets>
struct Tiles {
    LeftTile left[kStages];
    RightTile right[kStages][kSets];
    int64_t rows[kTile]; ///< first element of each row; -1: none
};

__device__ inline Shared shared(Element element) {
#if KILN_UNITS
    return element;
#else
    return toFloat(element);
#endif
}

/// Moves kVector elements to shared memory, or zeros if they do not exist.
__device__ inline void moveVector(Shared* to, Element const* from, bool exists) {
#if KILN_UNITS
    beginCopy(to, from, exists);
#else
    Pack<Element, kVector> pack{};
    if (exists) {
        pack = *reinterpret_cast<Pack<Element, kVector> const*>(from);
    }
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        to[i] = shared(pack.at[i]);
    }
#endif
}

/// Rows of the left operand from column `first` on. kMoved: elements at once.
template <int kMoved, int kSets>
__device__ inline void loadLeft(LeftTile& tile, Tiles<kSets> const& tiles, Element const* from,
                                int64_t first, int64_t depth) {
#pragma unroll
    for (int part = 0; part < kTile * kDepth / kMoved / kThreads; ++part) {
        int const index = part * kThreads + static_cast<int>(threadIdx.x);
        int const row = index / (kDepth / kMoved);
        int const k = index % (kDepth / kMoved) * kMoved;
        int64_t const start = tiles.rows[row];
        bool const inside = start >= 0 && first + k < depth;
        Element const* const at = from + (inside ? start + first + k : 0);
        if constexpr (kMoved > 1) {
            moveVector(&tile.at[row][k], at, inside);
        } else {
            tile.at[row][k] = inside ? shared(*at) : Shared{};
        }
    }
}

/// Rows of the right operand from row `first` on.
template <int kMoved>
__device__ inline void loadRight(RightTile& tile, Element const* from, int64_t first, int64_t depth,
                                 int64_t column, int64_t columns) {
#pragma unroll
    for (int part = 0; part < kTile * kDepth / kMoved / kThreads; ++part) {
        int const index = part * kThreads + static_cast<int>(threadIdx.x);
        int const k = index / (kTile / kMoved);
        int const i = index % (kTile / kMoved) * kMoved;
        bool const inside = first + k < depth && column + i < columns;
        Element const* const at = from + (inside ? (first + k) * columns + column + i : 0);
        if constexpr (kMoved > 1) {
            moveVector(&tile.at[k][i], at, inside);
        } else {
            tile.at[k][i] = inside ? shared(*at) : Shared{};
        }
    }
}

/// sums += left * right
__device__ inline void multiplyTiles(Sums& sums, LeftTile const& left, RightTile const& right) {
    int const thread = static_cast<int>(threadIdx.x);
#if KILN_UNITS
    int const lane = thread % 32;
    int const row = thread / 32 * 16;
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
        uint32_t a[4];
        loadTiles(a, &left.at[row + lane % 16][k + lane / 16 * 8]);
#pragma unroll
        for (int i = 0; i < kSums; i += 2) {
            uint32_t b[4];
            loadTransposedTiles(b, &right.at[k + lane % 16][i * 8 + lane / 16 * 8]);
            multiplyAdd<Element>(sums[i], a, b[0], b[1]);
            multiplyAdd<Element>(sums[i + 1], a, b[2], b[3]);
        }
    }
#else
    for (int k = 0; k < kDepth; ++k) {
        float b[kColumnsEach];
#pragma unroll
        for (int j = 0; j < kColumnsEach; ++j) {
            b[j] = right.at[k][thread % 16 + j * 16];
        }
#pragma unroll
        for (int i = 0; i < kRowsEach; ++i) {
            float const a = left.at[thread / 16 + i * 8][k];
#pragma unroll
            for (int j = 0; j < kColumnsEach; ++j) {
                sums[i][j] += a * b[j];
            }
        }
    }
#endif
}

/// The operands of kSets products: the same left one, and right ones of [depth, columns].
template <int kSets>
struct Operands {
    Element const* left;
    Element const* right[kSets];
    int64_t depth;
    int64_t column;
    int64_t columns;
};

template <int kMoved, int kSets>
__device__ inline void load(Tiles<kSets>& tiles, int stage, Operands<kSets> const& from,
                            int64_t first) {
    loadLeft<kMoved>(tiles.left[stage], tiles, from.left, first, from.depth);
#pragma unroll
    for (int set = 0; set < kSets; ++set) {
        loadRight<kMoved>(tiles.right[stage][set], from.right[set], first, from.depth, from.column,
                          from.columns);
    }
#if KILN_UNITS
    endGroup();
#endif
}

/// sums[set] += left * right[set]. tiles.rows must be written; no thread reads the tiles.
template <int kMoved, int kSets>
__device__ inline void multiply(Tiles<kSets>& tiles, Operands<kSets> const& from,
                                Sums (&sums)[kSets]) {
    if (kStages == 2) {
        load<kMoved>(tiles, 0, from, 0);
    }
    int stage = 0;
    for (int64_t k = 0; k < from.depth; k += kDepth) {
        if (kStages == 1) {
            load<kMoved>(tiles, 0, from, k);
        } else if (k + kDepth < from.depth) {
            load<kMoved>(tiles, 1 - stage, from, k + kDepth);
        }
#if KILN_UNITS
        if (k + kDepth < from.depth) {
            waitForGroups<1>();
        } else {
            waitForGroups<0>();
        }
#endif
        __syncthreads();
#pragma unroll
        for (int set = 0; set < kSets; ++set) {
            multiplyTiles(sums[set], tiles.left[stage], tiles.right[stage][set]);
        }
        __syncthreads(); // the tiles are loaded again
        stage = (stage + 1) % kStages;
    }
}

/// The same, in vectors where all rows are aligned.
template <int kSets>
__device__ inline void multiplyAny(Tiles<kSets>& tiles, Operands<kSets> const& from,
                                   Sums (&sums)[kSets]) {
    bool aligned = from.depth % kVector == 0 && from.columns % kVector == 0 &&
                   isAligned16(from.left);
    for (int set = 0; set < kSets; ++set) {
        aligned = aligned && isAligned16(from.right[set]);
    }
    if (aligned) {
        multiply<kVector>(tiles, from, sums);
    } else {
        multiply<1>(tiles, from, sums);
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
                work.inner[(task.begin + row) * arguments.inner + at] = fromFloat<Element>(
                    gated(sums[0][i][j] + biasAt(gateBias, bias),
                          sums[1][i][j] + biasAt(upBias, bias), arguments));
            }
        });
        __syncthreads(); // the rows are written again
    }
}

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
