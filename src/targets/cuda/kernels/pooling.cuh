// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling: the largest element, the mean, or a blend of both over windows of the 1 to 3 spatial
// axes of [planes, spatial...], computed in float. Padding is never the largest element; the layer
// chooses whether it counts in the mean. A window entirely in the padding has mean 0. `pooling`:
// one thread per result; neighbours read neighbouring columns. `pooling_last`, for channels last:
// one thread for a vector of channels, and `pooling_last_single` for one channel; neighbours read
// neighbouring channels. KILN_ELEMENT: the type.
#include "flat.cuh"
#include "volume.cuh"

typedef KILN_ELEMENT Element;

/// One spatial axis.
struct Axis {
    int64_t input;
    int64_t output;
    int64_t size;
    int64_t stride;
    int64_t before; ///< padding
    int64_t after;
};

struct Arguments {
    int64_t results;
    Axis depth; ///< extent 1 if there are fewer than three spatial axes
    Axis height;
    Axis width;
    float ofLargest; ///< weights of the two terms
    float ofMean;
    int32_t countsPadding;
    int64_t channels; ///< of channels last
};

/// The positions of a window along one axis: inside the input, and inside the padded input.
struct Range {
    int64_t begin;
    int64_t end;
    int64_t padded; ///< number of positions, padding included
};

__device__ inline int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
__device__ inline int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

__device__ inline Range rangeOf(Axis const& axis, int64_t position) {
    int64_t const begin = position * axis.stride - axis.before;
    int64_t const end = begin + axis.size;
    Range range;
    range.begin = most(begin, 0);
    range.end = most(range.begin, least(end, axis.input));
    range.padded = most(0, least(end, axis.input + axis.after) - begin);
    return range;
}

/// The result of a window from its largest element and its sum.
__device__ inline float resultOf(Arguments const& arguments, Range const& z, Range const& y,
                                 Range const& x, float largest, float sum) {
    int64_t const inside = (z.end - z.begin) * (y.end - y.begin) * (x.end - x.begin);
    int64_t const count = arguments.countsPadding != 0 ? z.padded * y.padded * x.padded : inside;
    float const mean = count == 0 ? 0.0F : sum / static_cast<float>(count);
    // A term with weight 0 must not turn an infinity into NaN.
    if (arguments.ofMean == 0.0F) {
        return largest;
    }
    return arguments.ofLargest == 0.0F ? mean
                                       : arguments.ofLargest * largest + arguments.ofMean * mean;
}

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
