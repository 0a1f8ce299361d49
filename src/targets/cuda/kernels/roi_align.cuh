// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// roi align: boxes [n, 4] of images [batch, channels, height, width], brought to one size. A block
// computes kShare elements of the output [n, channels, height', width'] of one box; neighbours
// share a plane. A bin has a grid of bilinear samples. Their rows and columns are the same in all
// channels: the block first writes them, with their weights, to shared memory, for the mean each
// row and column of a bin once. If there are more than kMostTaps of one axis, each thread computes
// those of its bin, and skips those far outside of the image. Sources: He et al., "Mask R-CNN"
// (2017); ONNX RoiAlign-16. Macros: KILN_ELEMENT, KILN_BOX and KILN_BATCH (types), KILN_POOLING (0:
// mean, 1: largest product, 2: bins of whole elements), KILN_HALF_PIXEL.
#include "threads.cuh"

typedef KILN_ELEMENT Element;

constexpr int kThreads = 256;
constexpr int kShare = 2048;
constexpr int kMostTaps = 512;

struct Arguments {
    int64_t parts; ///< of a box: blocks
    int64_t images;
    int64_t channels;
    int64_t size[2];
    int64_t output[2];
    int32_t samplingRatio;
    float scale;
};

/// A bin along one axis, and the samples [first, last) of it that may be inside of the image.
struct Bin {
    float start;
    float length;
    float samples;
    int64_t first;
    int64_t last;
};

__device__ inline int64_t clampedSample(float x, float most) {
    return static_cast<int64_t>(fminf(fmaxf(x, 0.0F), most));
}

__device__ inline Bin sampledBin(float low, float high, int axis, int64_t number,
                                 Arguments const& arguments) {
    float const offset = KILN_HALF_PIXEL ? 0.5F : 0.0F;
    float const begin = low * arguments.scale - offset;
    float length = high * arguments.scale - offset - begin;
    if (!KILN_HALF_PIXEL) {
        length = fmaxf(length, 1.0F);
    }
    Bin bin;
    bin.length = length / static_cast<float>(arguments.output[axis]);
    bin.start = begin + static_cast<float>(number) * bin.length;
    bin.samples = arguments.samplingRatio > 0 ? static_cast<float>(arguments.samplingRatio)
                                              : fminf(fmaxf(ceilf(bin.length), 0.0F), 1073741824.F);
    float const step = bin.length / bin.samples;
    auto const extent = static_cast<float>(arguments.size[axis]);
    bin.first = 0;
    bin.last = static_cast<int64_t>(bin.samples);
    if (step > 0.0F) {
        bin.first = clampedSample(floorf((-1.0F - bin.start) / step) - 2.0F, bin.samples);
        bin.last = clampedSample(ceilf((extent - bin.start) / step) + 2.0F, bin.samples);
    }
    return bin;
}

/// The element in front of a sample and the weight of the next one; false if it is outside.
__device__ inline bool takeSample(Bin const& bin, int64_t i, int64_t size, int64_t& low,
                                  float& fraction) {
    float at = bin.start + (static_cast<float>(i) + 0.5F) * bin.length / bin.samples;
    if (!(at >= -1.0F && at <= static_cast<float>(size)) || size == 0) { // also NaN
        return false;
    }
    at = fmaxf(at, 0.0F);
    low = static_cast<int64_t>(at);
    low = low < size - 1 ? low : size - 1;
    fraction = low == size - 1 ? 0.0F : at - static_cast<float>(low);
    return true;
}

/// Whole elements [first, last) of a bin.
__device__ inline Bin wholeBin(float low, float high, int axis, int64_t number,
                               Arguments const& arguments) {
    float const most = 1073741824.0F;
    auto const begin =
        static_cast<int64_t>(roundf(fminf(fmaxf(low * arguments.scale, -most), most)));
    auto const end =
        static_cast<int64_t>(roundf(fminf(fmaxf(high * arguments.scale, -most), most)));
    int64_t const length = end - begin + 1 > 1 ? end - begin + 1 : 1;
    Bin bin;
    bin.length = static_cast<float>(length) / static_cast<float>(arguments.output[axis]);
    int64_t const size = arguments.size[axis];
    int64_t const first =
        begin + static_cast<int64_t>(floorf(static_cast<float>(number) * bin.length));
    int64_t const last =
        begin + static_cast<int64_t>(ceilf(static_cast<float>(number + 1) * bin.length));
    bin.first = first < 0 ? 0 : first;
    bin.last = last > size ? size : last;
    return bin;
}

__device__ inline float averageOf(Element const* plane, Bin const& down, Bin const& across,
                                  Arguments const& arguments) {
    float sum = 0.0F;
    int64_t const width = arguments.size[1];
    for (int64_t i = down.first; i < down.last; ++i) {
        int64_t row = 0;
        float below = 0.0F;
        if (!takeSample(down, i, arguments.size[0], row, below)) {
            continue;
        }
        Element const* const from = plane + row * width;
        int64_t const next = row + 1 < arguments.size[0] ? width : 0;
        for (int64_t j = across.first; j < across.last; ++j) {
            int64_t column = 0;
            float right = 0.0F;
            if (takeSample(across, j, width, column, right)) {
                int64_t const beside = column + 1 < width ? column + 1 : column;
                float const upper =
                    (1.0F - right) * toFloat(from[column]) + right * toFloat(from[beside]);
                float const lower = (1.0F - right) * toFloat(from[next + column]) +
                                    right * toFloat(from[next + beside]);
                sum += (1.0F - below) * upper + below * lower;
            }
        }
    }
    float const samples = down.samples * across.samples;
    return samples > 1.0F ? sum / samples : sum;
}

__device__ inline float largestOf(Element const* plane, Bin const& down, Bin const& across,
                                  Arguments const& arguments) {
    if (down.samples == 0.0F || across.samples == 0.0F) {
        return 0.0F;
    }
    int64_t const width = arguments.size[1];
    bool const all = down.first == 0 && across.first == 0 &&
                     down.last == static_cast<int64_t>(down.samples) &&
                     across.last == static_cast<int64_t>(across.samples);
    float result = all ? -infinity() : 0.0F; // a sample outside counts as 0
    for (int64_t i = down.first; i < down.last; ++i) {
        for (int64_t j = across.first; j < across.last; ++j) {
            int64_t row = 0;
            int64_t column = 0;
            float below = 0.0F;
            float right = 0.0F;
            if (!takeSample(down, i, arguments.size[0], row, below) ||
                !takeSample(across, j, width, column, right)) {
                result = larger(result, 0.0F);
                continue;
            }
            Element const* const from = plane + row * width + column;
            int64_t const next = row + 1 < arguments.size[0] ? width : 0;
            int64_t const beside = column + 1 < width ? 1 : 0;
            result = larger(result, (1.0F - below) * (1.0F - right) * toFloat(from[0]));
            result = larger(result, (1.0F - below) * right * toFloat(from[beside]));
            result = larger(result, below * (1.0F - right) * toFloat(from[next]));
            result = larger(result, below * right * toFloat(from[next + beside]));
        }
    }
    return result;
}

__device__ inline float largestOfBin(Element const* plane, Bin const& down, Bin const& across,
                                     Arguments const& arguments) {
    bool const empty = down.first >= down.last || across.first >= across.last;
    float result = empty ? 0.0F : -infinity();
    for (int64_t y = down.first; y < down.last; ++y) {
        for (int64_t x = across.first; x < across.last; ++x) {
            result = larger(result, toFloat(plane[y * arguments.size[1] + x]));
        }
    }
    return result;
}

/// The samples of all bins of a box along one axis, or for the mean the elements beside them, each
/// once with the sum of its weights. A bin has room for two elements of each sample.
struct Axis {
    int samples;               ///< of a bin; -1: there are more than kMostTaps
    int counts[kMostTaps];     ///< of a bin: elements
    int at[2 * kMostTaps];     ///< -1: the sample is outside of the image
    float weight[2 * kMostTaps];
};

#if KILN_POOLING == 1
__device__ inline void fillBin(Axis& shared, Bin const& bin, int number, int64_t size) {
    int const samples = shared.samples;
    for (int i = 0; i < samples; ++i) {
        int const entry = 2 * (number * samples + i);
        int64_t low = 0;
        float fraction = 0.0F;
        bool const isInside = takeSample(bin, i, size, low, fraction);
        shared.at[entry] = isInside ? static_cast<int>(low) : -1;
        shared.at[entry + 1] = static_cast<int>(low + 1 < size ? low + 1 : low);
        shared.weight[entry] = fraction;
    }
    shared.counts[number] = samples;
}
#else
__device__ inline void addElement(Axis& shared, int first, int& count, int at, float weight) {
    if (weight == 0.0F) {
        return;
    }
    for (int i = first + count - 1; i >= first && i >= first + count - 2; --i) {
        if (shared.at[i] == at) {
            shared.weight[i] += weight;
            return;
        }
    }
    shared.at[first + count] = at;
    shared.weight[first + count] = weight;
    ++count;
}

__device__ inline void fillBin(Axis& shared, Bin const& bin, int number, int64_t size) {
    int const first = 2 * number * shared.samples;
    int count = 0;
    for (int i = 0; i < shared.samples; ++i) {
        int64_t low = 0;
        float fraction = 0.0F;
        if (takeSample(bin, i, size, low, fraction)) {
            addElement(shared, first, count, static_cast<int>(low), 1.0F - fraction);
            addElement(shared, first, count, static_cast<int>(low) + 1, fraction);
        }
    }
    shared.counts[number] = count;
}
#endif

struct Box {
    float left;
    float top;
    float right;
    float bottom;
};

/// By half of the threads for each axis. Returns behind a barrier.
__device__ inline void fillAxes(Axis (&shared)[2], Box const& box, Arguments const& arguments) {
    constexpr int kHalf = kThreads / 2;
    int const axis = static_cast<int>(threadIdx.x) / kHalf;
    int const thread = static_cast<int>(threadIdx.x) % kHalf;
    float const low = axis == 0 ? box.top : box.left;
    float const high = axis == 0 ? box.bottom : box.right;
    Bin const any = sampledBin(low, high, axis, 0, arguments);
    bool const fits = static_cast<float>(arguments.output[axis]) * any.samples <= kMostTaps &&
                      any.samples > 0.0F;
    if (thread == 0) {
        shared[axis].samples = fits ? static_cast<int>(any.samples) : -1;
    }
    __syncthreads();
    for (int64_t number = thread; fits && number < arguments.output[axis]; number += kHalf) {
        fillBin(shared[axis], sampledBin(low, high, axis, number, arguments),
                static_cast<int>(number), arguments.size[axis]);
    }
    __syncthreads();
}

/// A bin, whose rows and columns are in shared memory.
__device__ inline float pooled(Element const* plane, Axis const& down, int y, Axis const& across,
                               int x, int64_t width) {
    int const row = 2 * y * down.samples;
    int const column = 2 * x * across.samples;
    int const rows = down.counts[y];
    int const columns = across.counts[x];
#if KILN_POOLING == 1
    float result = -infinity();
    for (int i = row; i < row + 2 * rows; i += 2) {
        float const below = down.weight[i];
        Element const* const upper = plane + down.at[i] * width;
        Element const* const lower = plane + down.at[i + 1] * width;
        for (int k = column; k < column + 2 * columns; k += 2) {
            int const at = across.at[k];
            int const next = across.at[k + 1];
            if (down.at[i] < 0 || at < 0) {
                result = larger(result, 0.0F);
                continue;
            }
            float const right = across.weight[k];
            result = larger(result, (1.0F - below) * (1.0F - right) * toFloat(upper[at]));
            result = larger(result, (1.0F - below) * right * toFloat(upper[next]));
            result = larger(result, below * (1.0F - right) * toFloat(lower[at]));
            result = larger(result, below * right * toFloat(lower[next]));
        }
    }
    return result;
#else
    float sum = 0.0F;
    for (int i = row; i < row + rows; ++i) {
        Element const* const from = plane + down.at[i] * width;
        float line = 0.0F;
#pragma unroll 4
        for (int k = column; k < column + columns; ++k) {
            line += across.weight[k] * toFloat(from[across.at[k]]);
        }
        sum += down.weight[i] * line;
    }
    return sum / static_cast<float>(down.samples * across.samples);
#endif
}

/// A bin, whose taps are not in shared memory.
__device__ __noinline__ float pooledAlone(Element const* plane, Box const& box, int64_t y,
                                          int64_t x, Arguments const& arguments) {
#if KILN_POOLING == 2
    return largestOfBin(plane, wholeBin(box.top, box.bottom, 0, y, arguments),
                        wholeBin(box.left, box.right, 1, x, arguments), arguments);
#else
    Bin const down = sampledBin(box.top, box.bottom, 0, y, arguments);
    Bin const across = sampledBin(box.left, box.right, 1, x, arguments);
    return KILN_POOLING == 1 ? largestOf(plane, down, across, arguments)
                             : averageOf(plane, down, across, arguments);
#endif
}

KILN_KERNEL void __launch_bounds__(kThreads, 4)
    roi_align(Element const* images, KILN_BOX const* boxes, KILN_BATCH const* batch, Element* to,
              KILN_IN_PLACE Arguments arguments) {
    __shared__ Axis shared[2];
    int64_t const number = quotient(static_cast<int64_t>(blockIdx.x), arguments.parts);
    int64_t const part = blockIdx.x - number * arguments.parts;
    Box const box{toFloat(boxes[number * 4]), toFloat(boxes[number * 4 + 1]),
                  toFloat(boxes[number * 4 + 2]), toFloat(boxes[number * 4 + 3])};
    int64_t const image = batch[number];
    int64_t const plane = arguments.size[0] * arguments.size[1];
    bool const exists = image >= 0 && image < arguments.images && plane > 0;
    bool tabled = false;
    if (KILN_POOLING != 2 && exists) {
        fillAxes(shared, box, arguments);
        tabled = shared[0].samples > 0 && shared[1].samples > 0;
    }
    int64_t const bins = arguments.output[0] * arguments.output[1];
    int64_t const end = arguments.channels * bins;
    Element const* const from = images + image * arguments.channels * plane;
    for (int i = static_cast<int>(threadIdx.x); i < kShare; i += kThreads) {
        int64_t const at = part * kShare + i;
        if (at >= end) {
            return;
        }
        int64_t const channel = quotient(at, bins);
        int64_t const bin = at - channel * bins;
        int64_t const y = quotient(bin, arguments.output[1]);
        int64_t const x = bin - y * arguments.output[1];
        float value = 0.0F;
        if (tabled) {
            value = pooled(from + channel * plane, shared[0], static_cast<int>(y), shared[1],
                           static_cast<int>(x), arguments.size[1]);
        } else if (exists) {
            value = pooledAlone(from + channel * plane, box, y, x, arguments);
        }
        to[number * end + at] = fromFloat<Element>(value);
    }
}
