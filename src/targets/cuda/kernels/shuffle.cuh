// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// shuffle: one transpose, or two through the workspace. If the fastest axis stays, rows are copied
// by words; else tiles are moved through shared memory, elements of two bytes in blocks through
// registers if all extents allow; short axes are moved element by element.
// Macros: T, INPUTS, STEPS (1 or 2), PAIRS (1 for elements of two bytes), WIDE (0 or 1).
#include "tiles.cuh"
#include "transposed_blocks.cuh"
#include "words.cuh"

struct Inputs {
    void const* at[INPUTS];
};

/// One transpose. By tiles or blocks: `tiles` is set; else the axes, outermost of the result first.
struct Step {
    int64_t count;
    int32_t outer; ///< axes before the row
    TileAxis axes[kMaxRank];
    Tiles tiles;
    int64_t blocks; ///< tiles of blocks
};

struct Arguments {
    int32_t steps;
    Step step[STEPS];
};

template <typename Index>
struct ShuffleMap {
    typedef NoKey Key;
    T const* data;
    Step const& step;

    __device__ Index rowOffset(Index row) const {
        Index offset = 0;
#pragma unroll 1
        for (int i = step.outer - 1; i > 0; --i) {
            TileAxis const& axis = step.axes[i];
            Index const next = axis.extent.quotient(row);
            offset += (row - next * static_cast<Index>(axis.extent.divisor)) *
                      static_cast<Index>(axis.from);
            row = next;
        }
        return step.outer == 0 ? 0 : offset + row * static_cast<Index>(step.axes[0].from);
    }

    __device__ Key key(Index) const { return {}; }
    __device__ T constant() const { return T{}; }

    __device__ Origin find(Index position, Key, Run<T>& run) const {
        TileAxis const& axis = step.axes[step.outer];
        Index const size = static_cast<Index>(axis.extent.divisor);
        Index const row = axis.extent.quotient(position);
        Index const column = position - row * size;
        if (column + kPerWord<T> > size) {
            return Origin::kMixed;
        }
        run.begin = data;
        run.from = data + rowOffset(row) + column;
        run.end = data + step.count;
        return Origin::kRun;
    }

    __device__ T at(Index position) const {
        TileAxis const& axis = step.axes[step.outer];
        Index const row = axis.extent.quotient(position);
        Index const column = position - row * static_cast<Index>(axis.extent.divisor);
        return data[rowOffset(row) + column * static_cast<Index>(axis.from)];
    }
};

enum class Way { kTiles, kPairs, kBlocks, kWords, kElements };

template <int kStep, Way kWay, typename Index>
__device__ inline void shuffle(Inputs const& inputs, T* output, void* workspace,
                               Arguments const& arguments) {
    Step const& step = arguments.step[kStep];
    bool const last = kStep + 1 == arguments.steps;
    T const* const from =
        inGlobalMemory(static_cast<T const*>(kStep == 0 ? inputs.at[0] : workspace));
    T* const to = inGlobalMemory(last ? output : static_cast<T*>(workspace));
    if constexpr (kWay == Way::kTiles || kWay == Way::kPairs) {
        moveTile<T, kWay == Way::kPairs ? 2 : 1, false>(from, to, step.tiles);
    } else if constexpr (kWay == Way::kBlocks) {
        moveBlocks(reinterpret_cast<uint16_t const*>(from), reinterpret_cast<uint16_t*>(to),
                   step.tiles, step.blocks);
    } else {
        ShuffleMap<Index> const map{from, step};
        if constexpr (kWay == Way::kWords) {
            fillWords<T, Index>(to, static_cast<Index>(step.count), map);
        } else {
            fillElements<T, Index>(to, static_cast<Index>(step.count), map);
        }
    }
}

#define KILN_SHUFFLE(NAME, STEP, WAY, INDEX, BLOCKS)                                               \
    KILN_KERNEL void __launch_bounds__(kThreads, BLOCKS)                                           \
        NAME(KILN_IN_PLACE Inputs inputs, T* output, void* workspace,                              \
             KILN_IN_PLACE Arguments arguments) {                                                  \
        shuffle<STEP, WAY, INDEX>(inputs, output, workspace, arguments);                           \
    }

KILN_SHUFFLE(tiles_0, 0, Way::kTiles, int32_t, kTileBlocks)
KILN_SHUFFLE(words_0, 0, Way::kWords, int32_t, kWordBlocks)
KILN_SHUFFLE(elements_0, 0, Way::kElements, int32_t, kWordBlocks)
#if WIDE
KILN_SHUFFLE(words_wide_0, 0, Way::kWords, int64_t, kWordBlocks)
KILN_SHUFFLE(elements_wide_0, 0, Way::kElements, int64_t, kWordBlocks)
#endif
#if PAIRS
KILN_SHUFFLE(pairs_0, 0, Way::kPairs, int32_t, kPairBlocks)
KILN_SHUFFLE(blocks_0, 0, Way::kBlocks, int32_t, kWordBlocks)
#endif
#if STEPS == 2
KILN_SHUFFLE(tiles_1, 1, Way::kTiles, int32_t, kTileBlocks)
KILN_SHUFFLE(words_1, 1, Way::kWords, int32_t, kWordBlocks)
KILN_SHUFFLE(elements_1, 1, Way::kElements, int32_t, kWordBlocks)
#if WIDE
KILN_SHUFFLE(words_wide_1, 1, Way::kWords, int64_t, kWordBlocks)
KILN_SHUFFLE(elements_wide_1, 1, Way::kElements, int64_t, kWordBlocks)
#endif
#if PAIRS
KILN_SHUFFLE(pairs_1, 1, Way::kPairs, int32_t, kPairBlocks)
KILN_SHUFFLE(blocks_1, 1, Way::kBlocks, int32_t, kWordBlocks)
#endif
#endif
