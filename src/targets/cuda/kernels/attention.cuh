// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention: softmax(scale * Q K^T + mask) V for each batch and head, without the scores in memory.
// Operands have any strides, so heads may lie side by side in a row. A block takes 16 queries per
// warp and passes over the keys in tiles, which are copied to shared memory one tile ahead; a warp
// keeps its scores, sums and results in registers. A row's largest score so far scales what was
// summed before it grew. Products have operands of 16 bits and sums in float.
// Source: Dao, "FlashAttention-2", 2023.
//
// KILN_ELEMENT: half_t or bfloat16_t. KILN_HEAD, KILN_VALUE: elements of a key and of a value, at
// most 128. KILN_CAUSAL: 1 if later keys are hidden. KILN_MASK: 0 none, 1 elements that are added,
// 2 bools, true where a key is seen, 3 bools, true where it is hidden.
#include "functions.cuh"
#include "matrix_units.cuh"

typedef KILN_ELEMENT Element;

constexpr int kRow = 16; ///< queries of a warp
constexpr int kHead = (KILN_HEAD + 15) / 16 * 16;
constexpr int kValue = (KILN_VALUE + 15) / 16 * 16;
constexpr int kKeys = kHead <= 64 && kValue <= 64 ? 64 : 32; ///< of a tile
// Rows in shared memory begin 16 bytes further along the banks than the row before.
constexpr int kHeadStride = kHead + 8;
constexpr int kValueStride = kValue + 8;

/// Strides in elements: from batch to batch, head to head, row to row, and within a row.
struct Operand {
    int64_t batch;
    int64_t head;
    int64_t row;
    int64_t column;
};

/// Same layout as in ops/attention.cpp.
struct Arguments {
    int32_t queries;
    int32_t keys;
    int32_t heads;
    int32_t group; ///< heads that share a key
    int32_t tiles; ///< blocks of each head
    int32_t shift; ///< causal: query i sees the keys up to i + shift
    float scale;
    float withoutKeys;    ///< result of a query whose scores are all minus infinity: NaN or 0
    int32_t wide;         ///< bit 0: queries, 1: keys, 2: values, 3: results may be whole words
    int64_t starts[3];    ///< of queries, keys and values
    Operand strides[5];   ///< queries, keys, values, results, mask: [batch, head, query, key]
};

#if KILN_MASK == 1
typedef Element MaskElement;
#else
typedef bool_t MaskElement;
#endif

/// The score, to base 2, with the mask's element.
__device__ inline float maskedScore(float score, MaskElement element) {
#if KILN_MASK == 1
    return fmaf(toFloat(element), kOneOverLogOfTwo, score);
#else
    return (element.bits != 0) == (KILN_MASK == 2) ? score : -infinity();
#endif
}

/// Copies `rows` rows of kFilled elements to a tile of kPadded columns; the rest becomes zeros.
template <int kFilled, int kPadded>
__device__ inline void copyTile(Element* to, Element const* from, int64_t rowStride,
                                int64_t columnStride, int rows, bool wide) {
    constexpr int kStride = kPadded + 8;
    if (wide) {
        constexpr int kPacks = kPadded / 8;
        for (int i = static_cast<int>(threadIdx.x); i < kKeys * kPacks; i += blockDim.x) {
            int const row = i / kPacks;
            int const column = i % kPacks * 8;
            bool const exists = row < rows && column < kFilled;
            beginCopy(to + row * kStride + column,
                      exists ? from + row * rowStride + column : from, exists);
        }
        return;
    }
    for (int i = static_cast<int>(threadIdx.x); i < kKeys * kPadded; i += blockDim.x) {
        int const row = i / kPadded;
        int const column = i % kPadded;
        Element element{};
        if (row < rows && column < kFilled) {
            element = from[row * rowStride + column * columnStride];
        }
        to[row * kStride + column] = element;
    }
}

/// Two neighbouring elements of a row of queries; zeros where there is none.
__device__ inline uint32_t queryPair(Element const* row, int64_t columnStride, int column,
                                     bool exists, bool wide) {
    if (!exists) {
        return 0;
    }
    if (wide && column + 1 < KILN_HEAD) {
        return *reinterpret_cast<uint32_t const*>(row + column);
    }
    uint32_t const low = column < KILN_HEAD ? row[column * columnStride].bits : 0U;
    uint32_t const high = column + 1 < KILN_HEAD ? row[(column + 1) * columnStride].bits : 0U;
    return high << 16 | low;
}

/// What a warp knows of its 16 queries: a lane has rows g and g + 8.
struct Rows {
    uint32_t query[kHead / 16][4];
    float result[kValue / 8][4];
    float largest[2];
    float sum[2]; ///< over the lane's own columns

    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < kValue / 8; ++i) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                result[i][k] = 0.0F;
            }
        }
        largest[0] = largest[1] = -infinity();
        sum[0] = sum[1] = 0.0F;
    }

    __device__ void loadQueries(Element const* from, int first, int rows, Operand const& strides,
                                bool wide) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int step = 0; step < kHead / 16; ++step) {
#pragma unroll
            for (int word = 0; word < 4; ++word) {
                int const row = lane / 4 + word % 2 * 8;
                int const column = step * 16 + lane % 4 * 2 + word / 2 * 8;
                query[step][word] = queryPair(from + (first + row) * strides.row,
                                              strides.column, column, row < rows, wide);
            }
        }
    }

    __device__ void multiplyKeys(Element const* keys, float (&scores)[kKeys / 8][4]) const {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        Element const* const own =
            keys + (lane % 8 + lane / 16 * 8) * kHeadStride + lane / 8 % 2 * 8;
#pragma unroll
        for (int i = 0; i < kKeys / 8; ++i) {
            scores[i][0] = scores[i][1] = scores[i][2] = scores[i][3] = 0.0F;
        }
#pragma unroll
        for (int step = 0; step < kHead / 16; ++step) {
#pragma unroll
            for (int i = 0; i < kKeys / 16; ++i) {
                uint32_t words[4];
                loadTiles(words, own + i * 16 * kHeadStride + step * 16);
                multiplyAdd<Element>(scores[2 * i], query[step], words[0], words[1]);
                multiplyAdd<Element>(scores[2 * i + 1], query[step], words[2], words[3]);
            }
        }
    }

    /// Turns scores into weights, relative to the largest score so far. `scale`, which is positive,
    /// makes them scores to base 2.
    __device__ void weigh(float (&scores)[kKeys / 8][4], float scale) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float most = -infinity();
#pragma unroll
            for (int i = 0; i < kKeys / 8; ++i) {
                most = larger(most, larger(scores[i][2 * half], scores[i][2 * half + 1]));
            }
            most = larger(largest[half], most * scale);
            most = larger(most, __shfl_xor_sync(kAllLanes, most, 1));
            most = larger(most, __shfl_xor_sync(kAllLanes, most, 2));
            // Where all scores are minus infinity, weights and sum stay 0.
            float const base = most == -infinity() ? 0.0F : most;
            float const shrink = powerOfTwo(largest[half] - base);
            largest[half] = most;
            sum[half] *= shrink;
#pragma unroll
            for (int i = 0; i < kValue / 8; ++i) {
                result[i][2 * half] *= shrink;
                result[i][2 * half + 1] *= shrink;
            }
#pragma unroll
            for (int i = 0; i < kKeys / 8; ++i) {
#pragma unroll
                for (int k = 2 * half; k < 2 * half + 2; ++k) {
                    scores[i][k] = powerOfTwo(fmaf(scores[i][k], scale, -base));
                    sum[half] += scores[i][k];
                }
            }
        }
    }

    __device__ void addValues(Element const* values, float const (&weights)[kKeys / 8][4]) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        Element const* const own = values + lane % 16 * kValueStride + lane / 16 * 8;
#pragma unroll
        for (int step = 0; step < kKeys / 16; ++step) {
            uint32_t const left[4] = {
                pairOf<Element>(weights[2 * step][0], weights[2 * step][1]),
                pairOf<Element>(weights[2 * step][2], weights[2 * step][3]),
                pairOf<Element>(weights[2 * step + 1][0], weights[2 * step + 1][1]),
                pairOf<Element>(weights[2 * step + 1][2], weights[2 * step + 1][3])};
#pragma unroll
            for (int i = 0; i < kValue / 16; ++i) {
                uint32_t words[4];
                loadTransposedTiles(words, own + step * 16 * kValueStride + i * 16);
                multiplyAdd<Element>(result[2 * i], left, words[0], words[1]);
                multiplyAdd<Element>(result[2 * i + 1], left, words[2], words[3]);
            }
        }
    }

    __device__ void store(Element* to, int first, int rows, Operand const& strides, bool wide,
                          float withoutKeys) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float total = sum[half];
            total += __shfl_xor_sync(kAllLanes, total, 1);
            total += __shfl_xor_sync(kAllLanes, total, 2);
            float const factor = total == 0.0F ? withoutKeys : 1.0F / total; // of results of 0
            int const row = lane / 4 + half * 8;
            if (row >= rows) {
                continue;
            }
#pragma unroll
            for (int i = 0; i < kValue / 8; ++i) {
                int const column = i * 8 + lane % 4 * 2;
                float const low = result[i][2 * half] * factor;
                float const high = result[i][2 * half + 1] * factor;
                Element* const at = to + (first + row) * strides.row + column * strides.column;
                if (wide && column + 1 < KILN_VALUE) {
                    *reinterpret_cast<uint32_t*>(at) = pairOf<Element>(low, high);
                    continue;
                }
                if (column < KILN_VALUE) {
                    *at = fromFloat<Element>(low);
                }
                if (column + 1 < KILN_VALUE) {
                    at[strides.column] = fromFloat<Element>(high);
                }
            }
        }
    }
};

/// Hides what the mask hides, and what is behind the last key, and returns the factor that makes
/// scores to base 2: they are scaled already where something may be hidden.
__device__ inline float maskScores(float (&scores)[kKeys / 8][4], Arguments const& arguments,
                                  MaskElement const* mask, int firstQuery, int firstKey) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    float const scale = arguments.scale * kOneOverLogOfTwo;
    bool const allSeen =
        KILN_MASK == 0 && scale > 0.0F && firstKey + kKeys <= arguments.keys &&
        (KILN_CAUSAL == 0 || firstKey + kKeys - 1 <= firstQuery + arguments.shift);
    if (allSeen) {
        return scale;
    }
#pragma unroll
    for (int i = 0; i < kKeys / 8; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            int const query = firstQuery + lane / 4 + k / 2 * 8;
            int const key = firstKey + i * 8 + lane % 4 * 2 + k % 2;
            bool const seen =
                key < arguments.keys && (KILN_CAUSAL == 0 || key <= query + arguments.shift);
            float score = scores[i][k] * scale;
            if (KILN_MASK != 0 && seen && query < arguments.queries) {
                score = maskedScore(score, mask[query * arguments.strides[4].row +
                                                key * arguments.strides[4].column]);
            }
            scores[i][k] = seen ? score : -infinity();
        }
    }
    return 1.0F;
}

KILN_KERNEL void __launch_bounds__(128)
    attention(Element const* queries, Element const* keys, Element const* values,
#if KILN_MASK != 0
              MaskElement const* masks,
#endif
              Element* results, KILN_IN_PLACE Arguments arguments) {
    __shared__ __align__(16) Element keyTiles[2][kKeys * kHeadStride];
    __shared__ __align__(16) Element valueTiles[2][kKeys * kValueStride];
    int const rowsOfBlock = static_cast<int>(blockDim.x) / 32 * kRow;
    int const block = static_cast<int>(blockIdx.x) / arguments.tiles; // of one head
    int const batch = block / arguments.heads;
    int const head = block % arguments.heads;
    int const keyHead = head / arguments.group;
    int const blockQuery = static_cast<int>(blockIdx.x) % arguments.tiles * rowsOfBlock;
    int const firstQuery = blockQuery + static_cast<int>(threadIdx.x) / 32 * kRow;
    int const rowsLeft = arguments.queries - firstQuery; // none: the warp only helps to copy
    Operand const& queryStrides = arguments.strides[0];
    Operand const& keyStrides = arguments.strides[1];
    Operand const& valueStrides = arguments.strides[2];
    Operand const& resultStrides = arguments.strides[3];
    Element const* const query = queries + arguments.starts[0] + batch * queryStrides.batch +
                                 head * queryStrides.head;
    Element const* const key =
        keys + arguments.starts[1] + batch * keyStrides.batch + keyHead * keyStrides.head;
    Element const* const value =
        values + arguments.starts[2] + batch * valueStrides.batch + keyHead * valueStrides.head;
    Element* const result = results + batch * resultStrides.batch + head * resultStrides.head;
#if KILN_MASK != 0
    MaskElement const* const mask =
        masks + batch * arguments.strides[4].batch + head * arguments.strides[4].head;
#else
    MaskElement const* const mask = nullptr;
#endif
    bool const wideKeys = (arguments.wide & 2) != 0 && isAligned16(key);
    bool const wideValues = (arguments.wide & 4) != 0 && isAligned16(value);
    int last = arguments.keys;
    if (KILN_CAUSAL != 0) { // the last query of the block sees most
        int const seen = blockQuery + rowsOfBlock + arguments.shift;
        last = seen < last ? (seen > 0 ? seen : 0) : last;
    }
    int const steps = (last + kKeys - 1) / kKeys;
    auto const copy = [&](int step) {
        int const first = step * kKeys;
        copyTile<KILN_HEAD, kHead>(keyTiles[step % 2], key + first * keyStrides.row,
                                   keyStrides.row, keyStrides.column, arguments.keys - first,
                                   wideKeys);
        copyTile<KILN_VALUE, kValue>(valueTiles[step % 2], value + first * valueStrides.row,
                                     valueStrides.row, valueStrides.column, arguments.keys - first,
                                     wideValues);
        endGroup();
    };
    if (steps > 0) {
        copy(0);
    }
    Rows rows;
    rows.clear();
    rows.loadQueries(query, firstQuery, rowsLeft, queryStrides,
                     (arguments.wide & 1) != 0 && isAligned4(query));
    for (int step = 0; step < steps; ++step) {
        waitForGroups<0>();
        __syncthreads(); // the tiles are there, and all warps are done with those before
        if (step + 1 < steps) {
            copy(step + 1);
        }
        float scores[kKeys / 8][4];
        rows.multiplyKeys(keyTiles[step % 2], scores);
        float const scale = maskScores(scores, arguments, mask, firstQuery, step * kKeys);
        rows.weigh(scores, scale);
        rows.addValues(valueTiles[step % 2], scores);
    }
    rows.store(result, firstQuery, rowsLeft, resultStrides,
               (arguments.wide & 8) != 0 && isAligned4(result), arguments.withoutKeys);
}
