// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of attention share that multiply by warpgroups: operands in panels, and the
// products of a tile of keys.
#pragma once

#include "attention_pairs.cuh"
#include "warpgroup_units.cuh"

constexpr int paddedToPanel(int n) {
    return n > 2 * kPanelWidth ? 4 * kPanelWidth : (n > kPanelWidth ? 2 : 1) * kPanelWidth;
}
constexpr int kHead = paddedToPanel(KILN_HEAD);
constexpr int kValue = paddedToPanel(KILN_VALUE);
constexpr int kHeadSteps = (KILN_HEAD + 15) / 16; ///< products of 16 terms
constexpr int kKeys = kHead + kValue > 4 * kPanelWidth ? 64 : 128; ///< of a tile
constexpr int kKeyTile = kKeys * kHead;
constexpr int kValueTile = kKeys * kValue;
constexpr int kQueryTile = kWarpgroupRows * kHead;

/// A lane has the scores of every eighth pair of a tile's rows. If there is a mask, the keys, and
/// their values, are shuffled such that these are neighbours, whose mask a lane loads at once.
constexpr int kRun = kKeys / 4; ///< keys of a lane
__device__ inline int rowOfKey(int key) {
    return KILN_MASK == 0 ? key : key % kRun / 2 * 8 + key / kRun * 2 + key % 2;
}

/// Copies `rows` rows of kFilled elements to kRows rows of panels; the rest becomes zeros. Thread
/// `thread` of `threads`. kKeyRows: these are keys or values.
template <int kFilled, int kPadded, int kRows, bool kKeyRows>
__device__ inline void copyPanels(Element* to, Element const* from, Operand const& strides,
                                  int rows, bool wide, int thread, int threads) {
    constexpr int kWords = kPadded / 8;
    // Else a thread's places differ by whole rows, as `step` is a multiple of 8.
    constexpr bool kFinds = kWords > 16 || (kKeyRows && KILN_MASK != 0);
    int const word = thread % kWords;
    int const first = thread / kWords;
    int const step = threads / kWords;
    bool const filled = word * 8 < kFilled;
    Element* const panel = to + word / 8 * (kRows * kPanelWidth);
    Element* place = panel + placeInPanel(first, word % 8);
    Element const* source = from + first * strides.row + word * 8 * strides.column;
    if (wide) {
#pragma unroll 4
        for (int row = first; row < kRows; row += step) {
            bool const exists = filled && row < rows;
            if (kFinds) {
                place = panel + placeInPanel(kKeyRows ? rowOfKey(row) : row, word % 8);
            }
            beginCopy(place, exists ? source : from, exists);
            place += step * kPanelWidth;
            source += step * strides.row;
        }
        return;
    }
#pragma unroll 1
    for (int row = first; row < kRows; row += step) {
        if (kFinds) {
            place = panel + placeInPanel(kKeyRows ? rowOfKey(row) : row, word % 8);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            Element element{};
            if (row < rows && word * 8 + i < kFilled) {
                element = source[i * strides.column];
            }
            place[i] = element;
        }
        place += step * kPanelWidth;
        source += step * strides.row;
    }
}

/// Copies of an item's operands by one warpgroup, of which this is thread `thread`.
struct TileCopies {
    Arguments const& arguments;
    BlockOfQueries const& item;
    int thread;

    /// Whether operand 0 (queries), 1 (keys) or 2 (values) is copied by words.
    __device__ bool wide(int operand) const {
        Element const* const from =
            operand == 0 ? item.query : (operand == 1 ? item.key : item.value);
        return (arguments.wide >> operand & 1) != 0 && isAligned16(from);
    }

    /// The queries from number `first` of the whole tensor on.
    __device__ void queries(Element* to, int first) const {
        Operand const& strides = arguments.strides[0];
        copyPanels<KILN_HEAD, kHead, kWarpgroupRows, false>(
            to, item.query + first * strides.row, strides, arguments.queries - first, wide(0),
            thread, kWarpgroup);
    }

    __device__ void keys(Element* to, int step) const {
        Operand const& strides = arguments.strides[1];
        int const first = step * kKeys;
        copyPanels<KILN_HEAD, kHead, kKeys, true>(to, item.key + first * strides.row, strides,
                                                  arguments.keys - first, wide(1), thread,
                                                  kWarpgroup);
    }

    __device__ void values(Element* to, int step) const {
        Operand const& strides = arguments.strides[2];
        int const first = step * kKeys;
        copyPanels<KILN_VALUE, kValue, kKeys, true>(to, item.value + first * strides.row, strides,
                                                    arguments.keys - first, wide(2), thread,
                                                    kWarpgroup);
    }
};

/// Begins the products of 64 queries with a tile of keys.
__device__ inline void beginScores(float (&scores)[kKeys / 8][4], Element const* queries,
                                   Element const* keys) {
    PanelOperand const left = panelOperand(queries);
    PanelOperand const right = panelOperand(keys);
#pragma unroll
    for (int step = 0; step < kHeadSteps; ++step) {
        int const inRow = step % 4 * 32; // 16 terms
        beginProduct<Element>(scores,
                              left.after(step / 4 * kWarpgroupRows * kPanelRowBytes + inRow),
                              right.after(step / 4 * kKeys * kPanelRowBytes + inRow), step > 0);
    }
    endProducts();
}

/// Begins to add the values of a tile of keys, by their weights.
__device__ inline void beginResults(float (&result)[kValue / 8][4], Element const* values,
                                    uint32_t const (&weights)[kKeys / 16][4]) {
    PanelOperand const right = panelOperand(values, kKeys * kPanelRowBytes);
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) {
        beginProduct<Element>(result, weights[step], right.after(step * 16 * kPanelRowBytes));
    }
    endProducts();
}

__device__ inline void setWeights(uint32_t (&weights)[kKeys / 16][4],
                                  float const (&scores)[kKeys / 8][4]) {
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) {
        weightPairs(weights[step], scores, step);
    }
}

#if KILN_MASK == 0
/// Nothing: there is no mask.
struct MaskAhead {
    __device__ void load(Arguments const&, MaskElement const*, int, int) {}
};

__device__ inline float maskScores(float (&scores)[kKeys / 8][4], MaskAhead const&,
                                   Arguments const& arguments, MaskElement const* mask,
                                   int firstQuery, int firstKey) {
    return maskScores(scores, arguments, mask, firstQuery, firstKey);
}
#else
/// The mask of a lane's scores in a tile of keys, which is loaded before the scores are known.
struct MaskAhead {
    static constexpr int kBits = 8 * static_cast<int>(sizeof(MaskElement));
    static constexpr int kOfWord = 32 / kBits;
    static constexpr int kWords = kRun / kOfWord;
    uint32_t words[2][kWords]; ///< of rows g and g + 8

    __device__ void load(Arguments const& arguments, MaskElement const* mask, int firstQuery,
                         int firstKey) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        bool const wide = (arguments.wide & 16) != 0 && isAligned16(mask) &&
                          firstKey + kKeys <= arguments.keys;
        int const first = firstKey + lane % 4 * kRun;
        Operand const& strides = arguments.strides[4];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int const query = firstQuery + lane / 4 + half * 8;
            int const own = query < arguments.queries ? query : arguments.queries - 1;
            MaskElement const* const row = mask + own * strides.row + first * strides.column;
            if (wide) {
#pragma unroll
                for (int i = 0; i < kWords / 4; ++i) {
                    auto const pack = reinterpret_cast<Pack<uint32_t, 4> const*>(row)[i];
#pragma unroll
                    for (int k = 0; k < 4; ++k) {
                        words[half][4 * i + k] = pack.at[k];
                    }
                }
            } else {
                loadSingly(words[half], row, strides.column, arguments.keys - first);
            }
        }
    }
    /// The first `count` elements of a run.
    __device__ static void loadSingly(uint32_t (&to)[kWords], MaskElement const* row,
                                      int64_t stride, int count) {
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            to[i] = 0;
#pragma unroll
            for (int k = 0; k < kOfWord; ++k) {
                uint32_t const bits = i * kOfWord + k < count ? row->bits : 0U;
                to[i] |= bits << k * kBits;
                row += stride;
            }
        }
    }
    /// Of row `half` and key `key` of the lane's.
    __device__ MaskElement at(int half, int key) const {
        MaskElement element;
        element.bits = static_cast<decltype(element.bits)>(words[half][key / kOfWord] >>
                                                           key % kOfWord * kBits);
        return element;
    }
};

/// As above, for shuffled keys.
__device__ inline float maskScores(float (&scores)[kKeys / 8][4], MaskAhead const& ahead,
                                   Arguments const& arguments, MaskElement const*, int firstQuery,
                                   int firstKey) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    float const scale = arguments.scale * kOneOverLogOfTwo;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int last = arguments.keys - 1;
        if (KILN_CAUSAL != 0) {
            int const seen = firstQuery + lane / 4 + half * 8 + arguments.shift;
            last = seen < last ? seen : last;
        }
        last -= firstKey + lane % 4 * kRun; // of the lane's keys
#pragma unroll
        for (int own = 0; own < kRun; ++own) {
            float& score = scores[own / 2][2 * half + own % 2];
            float const masked = maskedScore(score * scale, ahead.at(half, own));
            score = own <= last ? masked : -infinity();
        }
    }
    return 1.0F;
}
#endif
