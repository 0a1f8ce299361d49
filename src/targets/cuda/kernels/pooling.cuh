// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling: the largest element, the mean, or a blend of both over windows of the 1 to 3 spatial
// axes of [planes, spatial...], computed in float. Padding is never the largest element; the layer
// chooses whether it counts in the mean. A window entirely in the padding has mean 0. `pooling`:
// one thread per result; neighbours read neighbouring columns. `pooling_strips`, for small windows:
// one thread for some results below each other, whose windows share rows. `pooling_last`, for
// channels last: one thread for a vector of channels, and `pooling_last_single` for one channel;
// neighbours read neighbouring channels. KILN_ELEMENT: the type; KILN_LARGEST, KILN_MEAN: the terms
// that count; KILN_WINDOW_Y, KILN_WINDOW_X, KILN_STRIDE_Y, KILN_STRIDE_X: of the last two spatial
// axes; KILN_STRIPS, KILN_ROWS, KILN_TILES: whether the window suits pooling_strips, pooling_rows,
// pooling_tiles.
#include "pooling_rows.cuh"
#include "pooling_tiles.cuh"

__device__ inline float pooled(Arguments const& arguments, Element const* plane, Range const& z,
                               Range const& y, Range const& x) {
    float largest = -infinity();
    float sum = 0.0F;
    for (int64_t depth = z.begin; depth < z.end; ++depth) {
        for (int64_t height = y.begin; height < y.end; ++height) {
            Element const* row =
                plane + (depth * arguments.height.input + height) * arguments.width.input;
            for (int64_t width = x.begin; width < x.end; ++width) {
                float const value = toFloat(row[width]);
                largest = value > largest || value != value ? value : largest;
                sum += value;
            }
        }
    }
    return resultOf(arguments, z, y, x, largest, sum);
}

KILN_KERNEL void pooling(Element const* from, Element* to, Arguments arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    int64_t const step = threadCount();
    for (int64_t index = threadIndex(); index < arguments.results; index += step) {
        PlaceInVolume const place(index, depth.output, height.output, width.output);
        to[index] = fromFloat<Element>(
            pooled(arguments, from + place.stack * depth.input * height.input * width.input,
                   rangeOf(depth, place.z), rangeOf(height, place.y), rangeOf(width, place.x)));
    }
}

#if KILN_STRIPS
constexpr int kStripRows = 4; ///< results of a thread

struct Strip {
    float largest[kStripRows];
    float sum[kStripRows];

    /// Adds the row number `line` of the strip's first window.
    template <int kLine>
    __device__ void add(float ownLargest, float ownSum) {
#pragma unroll
        for (int row = 0; row < kStripRows; ++row) {
            if (kLine >= row * KILN_STRIDE_Y && kLine < row * KILN_STRIDE_Y + KILN_WINDOW_Y) {
                largest[row] = largerOrNan(largest[row], ownLargest);
                sum[row] += ownSum;
            }
        }
    }
};

constexpr int kLines = (kStripRows - 1) * KILN_STRIDE_Y + KILN_WINDOW_Y;

/// Adds the rows from kLine on. `first`: the first column of row 0, which may be outside; bit i of
/// `columns` tells whether column i is inside.
template <int kLine>
__device__ inline void addLines(Element const* first, int64_t pitch, int y, int height,
                                unsigned columns, Strip& strip) {
    if constexpr (kLine < kLines) {
        if constexpr (kLine % KILN_STRIDE_Y < KILN_WINDOW_Y || kLine >= kLines - KILN_WINDOW_Y) {
            unsigned const inside = y + kLine >= 0 && y + kLine < height ? columns : 0;
            float largest = -infinity();
            float sum = 0.0F;
#pragma unroll
            for (int column = 0; column < KILN_WINDOW_X; ++column) {
                bool const isInside = (inside >> column & 1U) != 0;
                Element value{};
                if (isInside) {
                    value = first[kLine * pitch + column];
                }
                float const number = toFloat(value);
                if (KILN_LARGEST) {
                    largest = largerOrNan(largest, isInside ? number : -infinity());
                }
                sum += KILN_MEAN ? number : 0.0F;
            }
            strip.add<kLine>(largest, sum);
        }
        addLines<kLine + 1>(first, pitch, y, height, columns, strip);
    }
}

KILN_KERNEL void __launch_bounds__(256)
    pooling_strips(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    int const index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= arguments.threads) {
        return;
    }
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    int const columnOfStrips = arguments.byWidth.quotient(index);
    int const x = index - columnOfStrips * static_cast<int>(width.output);
    int const slice = arguments.byStrips.quotient(columnOfStrips);
    int const row = (columnOfStrips - slice * arguments.strips) * kStripRows;
    int const stack = arguments.byDepth.quotient(slice);
    Range const z = rangeOf(depth, slice - stack * depth.output);
    Range const across = rangeOf(width, x);
    int const left = x * KILN_STRIDE_X - static_cast<int>(width.before);
    int const top = row * KILN_STRIDE_Y - static_cast<int>(height.before);
    unsigned columns = 0;
#pragma unroll
    for (int i = 0; i < KILN_WINDOW_X; ++i) {
        columns |= left + i >= 0 && left + i < width.input ? 1U << i : 0U;
    }
    Strip strip;
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) {
        strip.largest[i] = -infinity();
        strip.sum[i] = 0.0F;
    }
    for (int64_t plane = z.begin; plane < z.end; ++plane) {
        int64_t const line = (stack * depth.input + plane) * height.input + top;
        addLines<0>(from + line * width.input + left, width.input, top,
                    static_cast<int>(height.input), columns, strip);
    }
    int64_t const target = static_cast<int64_t>(slice) * height.output + row;
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) {
        if (row + i < height.output) {
            Range const down = rangeOf(height, row + i);
            to[(target + i) * width.output + x] = fromFloat<Element>(
                resultOf(arguments, z, down, across, strip.largest[i], strip.sum[i]));
        }
    }
}
#endif

/// kWidth channels of one result, from `image` at the first of them.
template <int kWidth>
__device__ inline void poolLast(Arguments const& arguments, Element const* image, Range const& z,
                                Range const& y, Range const& x, Element* to) {
    float largest[kWidth];
    float sum[kWidth];
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        largest[i] = -infinity();
        sum[i] = 0.0F;
    }
    bool const aligned = beginsVector<kWidth>(image) && beginsVector<kWidth>(to);
    for (int64_t depth = z.begin; depth < z.end; ++depth) {
        for (int64_t height = y.begin; height < y.end; ++height) {
            int64_t const row = (depth * arguments.height.input + height) * arguments.width.input;
#pragma unroll 4
            for (int64_t width = x.begin; width < x.end; ++width) {
                Element const* const from = image + (row + width) * arguments.channels;
                Pack<Element, kWidth> const pack = loadPack<kWidth>(from, aligned);
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
                    float const value = toFloat(pack.at[i]);
                    largest[i] = value > largest[i] || value != value ? value : largest[i];
                    sum[i] += value;
                }
            }
        }
    }
    Pack<Element, kWidth> result;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        result.at[i] =
            fromFloat<Element>(resultOf(arguments, z, y, x, largest[i], sum[i]));
    }
    storePack(to, result, aligned);
}

template <int kWidth>
__device__ inline void poolAllLast(Element const* from, Element* to, Arguments const& arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    int64_t const step = threadCount() * kWidth;
    for (int64_t index = threadIndex() * kWidth; index < arguments.results; index += step) {
        int64_t const columns = quotient(index, arguments.channels);
        PlaceInVolume const place(columns, depth.output, height.output, width.output);
        int64_t const size = depth.input * height.input * width.input;
        int64_t const channel = index - columns * arguments.channels;
        poolLast<kWidth>(arguments, from + place.stack * size * arguments.channels + channel,
                         rangeOf(depth, place.z), rangeOf(height, place.y),
                         rangeOf(width, place.x), to + index);
    }
}

KILN_KERNEL void pooling_last(Element const* from, Element* to, Arguments arguments) {
    poolAllLast<widthFor(sizeof(Element))>(from, to, arguments);
}

KILN_KERNEL void pooling_last_single(Element const* from, Element* to, Arguments arguments) {
    poolAllLast<1>(from, to, arguments);
}
