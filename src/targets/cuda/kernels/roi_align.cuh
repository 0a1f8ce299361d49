// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// roi align: boxes [n, 4] of images [batch, channels, height, width], brought to one size. A thread
// computes an element of the output [n, channels, height', width']; neighbours share a plane. Its
// bin has a grid of bilinear samples, of which those far outside of the image are skipped. Sources:
// He et al., "Mask R-CNN" (2017); ONNX RoiAlign-16. Macros: KILN_ELEMENT, KILN_BOX and KILN_BATCH
// (types), KILN_POOLING (0: mean, 1: largest product, 2: bins of whole elements), KILN_HALF_PIXEL.
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t count;
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

KILN_KERNEL void roi_align(Element const* images, KILN_BOX const* boxes, KILN_BATCH const* batch,
                           Element* to, KILN_IN_PLACE Arguments arguments) {
    for (int64_t index = threadIndex(); index < arguments.count; index += threadCount()) {
        int64_t const row = quotient(index, arguments.output[1]);
        int64_t const plane = quotient(row, arguments.output[0]);
        int64_t const box = quotient(plane, arguments.channels);
        int64_t const x = index - row * arguments.output[1];
        int64_t const y = row - plane * arguments.output[0];
        int64_t const channel = plane - box * arguments.channels;
        int64_t const image = batch[box];
        float value = 0.0F;
        if (image >= 0 && image < arguments.images && arguments.size[0] * arguments.size[1] > 0) {
            int64_t const at = image * arguments.channels + channel;
            Element const* const from = images + at * arguments.size[0] * arguments.size[1];
            float const left = toFloat(boxes[box * 4]);
            float const top = toFloat(boxes[box * 4 + 1]);
            float const right = toFloat(boxes[box * 4 + 2]);
            float const bottom = toFloat(boxes[box * 4 + 3]);
#if KILN_POOLING == 2
            value = largestOfBin(from, wholeBin(top, bottom, 0, y, arguments),
                                 wholeBin(left, right, 1, x, arguments), arguments);
#else
            Bin const down = sampledBin(top, bottom, 0, y, arguments);
            Bin const across = sampledBin(left, right, 1, x, arguments);
#if KILN_POOLING == 1
            value = largestOf(from, down, across, arguments);
#else
            value = averageOf(from, down, across, arguments);
#endif
#endif
        }
        to[index] = fromFloat<Element>(value);
    }
}
