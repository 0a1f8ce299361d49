// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// grid_sample: images at the coordinates of a grid, computed in float. `grid_sample_planes`: a
// thread computes some channels of one output position; neighbours write neighbouring columns.
// `grid_sample_vectors`, for channels last: a thread computes a vector of channels, and
// `grid_sample_single` one channel. KILN_ELEMENT: the type;
// KILN_GRID: that of the grid; KILN_TAPS: samples along an axis (1, 2,
// 4); KILN_MODE: as nvinfer1::SampleMode; KILN_ALIGNED: whether -1 and 1 are centres of elements.
// Source: PyTorch's grid_sample.
#include "flat.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_GRID Grid;

enum Mode { kClamp = 2, kFillMode = 3, kReflect = 4 };

/// Strides are in elements, in the order of the tensor's axes.
struct Arguments {
    int64_t batch;
    int64_t channels;
    int64_t size[2];
    int64_t output[2];
    int64_t image[4];
    int64_t grid[4];
    int64_t result[4];
};

/// Channels of one thread of `grid_sample_planes`.
constexpr int kChannels = 8;

struct AxisSamples {
    int64_t at[KILN_TAPS];
    float weight[KILN_TAPS]; ///< 0 for samples outside that count as 0
};

__device__ inline float nearWeight(float x) {
    constexpr float a = -0.75F;
    return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F;
}
__device__ inline float farWeight(float x) {
    constexpr float a = -0.75F;
    return ((a * x - 5.0F * a) * x + 8.0F * a) * x - 4.0F * a;
}

/// Mirrors at `low` and at low + span.
__device__ inline float reflected(float x, float low, float span) {
    if (span == 0.0F) {
        return 0.0F;
    }
    float const distance = fabsf(x - low);
    float const rest = fmodf(distance, span);
    bool const even = fmodf(floorf(distance / span), 2.0F) == 0.0F;
    return even ? rest + low : span - rest + low;
}

/// The coordinate where the sample mode puts it.
__device__ inline float inside(float x, float last) {
    if (KILN_MODE == kFillMode) {
        return x;
    }
    if (KILN_MODE == kReflect) {
        x = KILN_ALIGNED ? reflected(x, 0.0F, last) : reflected(x, -0.5F, last + 1.0F);
    }
    return fminf(fmaxf(x, 0.0F), last); // NaN becomes 0
}

__device__ inline void place(float at, float last, AxisSamples& samples, int tap) {
    bool const known = at >= 0.0F && at <= last;
    samples.at[tap] = known ? static_cast<int64_t>(at) : 0;
    samples.weight[tap] = known ? samples.weight[tap] : 0.0F;
}

__device__ inline AxisSamples samplesOf(float coordinate, int64_t size) {
    AxisSamples samples;
    float const extent = static_cast<float>(size);
    float const last = extent - 1.0F;
    float x = KILN_ALIGNED ? (coordinate + 1.0F) / 2.0F * last
                           : ((coordinate + 1.0F) * extent - 1.0F) / 2.0F;
#if KILN_TAPS == 1
    samples.weight[0] = 1.0F;
    place(rintf(inside(x, last)), last, samples, 0);
#elif KILN_TAPS == 2
    x = inside(x, last);
    float const low = floorf(x);
    samples.weight[0] = 1.0F - (x - low);
    samples.weight[1] = x - low;
    place(low, last, samples, 0);
    place(low + 1.0F, last, samples, 1);
#else
    float const low = floorf(x);
    float const t = x - low;
    samples.weight[0] = farWeight(t + 1.0F);
    samples.weight[1] = nearWeight(t);
    samples.weight[2] = nearWeight(1.0F - t);
    samples.weight[3] = farWeight(2.0F - t);
#pragma unroll
    for (int tap = 0; tap < 4; ++tap) {
        place(inside(low - 1.0F + static_cast<float>(tap), last), last, samples, tap);
    }
#endif
    return samples;
}

/// One output position: its samples, and its place in the output.
struct Position {
    AxisSamples y;
    AxisSamples x;
    int64_t result;

    __device__ Position(Arguments const& arguments, Grid const* grid, int64_t image,
                        int64_t position) {
        int64_t const row = quotient(position, arguments.output[1]);
        int64_t const column = position - row * arguments.output[1];
        Grid const* const at = grid + image * arguments.grid[0] + row * arguments.grid[1] +
                                  column * arguments.grid[2];
        y = samplesOf(toFloat(at[arguments.grid[3]]), arguments.size[0]); // x comes first
        x = samplesOf(toFloat(at[0]), arguments.size[1]);
        result = image * arguments.result[0] + row * arguments.result[2] +
                 column * arguments.result[3];
    }
};

KILN_KERNEL void grid_sample_planes(Element const* from, Grid const* grid, Element* to,
                                    KILN_IN_PLACE Arguments arguments) {
    int64_t const positions = arguments.output[0] * arguments.output[1];
    int64_t const groups = (arguments.channels + kChannels - 1) / kChannels;
    int64_t const count = arguments.batch * groups * positions;
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const group = quotient(index, positions);
        int64_t const image = quotient(group, groups);
        int64_t const first = (group - image * groups) * kChannels;
        Position const position(arguments, grid, image, index - group * positions);
        Element const* source =
            from + image * arguments.image[0] + first * arguments.image[1];
        Element* target = to + position.result + first * arguments.result[1];
        int64_t const rest = arguments.channels - first;
        int const channels = rest < kChannels ? static_cast<int>(rest) : kChannels;
#pragma unroll 2
        for (int channel = 0; channel < channels; ++channel) {
            float sum = 0.0F;
#pragma unroll
            for (int y = 0; y < KILN_TAPS; ++y) {
#pragma unroll
                for (int x = 0; x < KILN_TAPS; ++x) {
                    float const weight = position.y.weight[y] * position.x.weight[x];
                    if (weight != 0.0F) {
                        sum += weight * toFloat(source[position.y.at[y] * arguments.image[2] +
                                                       position.x.at[x] * arguments.image[3]]);
                    }
                }
            }
            *target = fromFloat<Element>(sum);
            source += arguments.image[1];
            target += arguments.result[1];
        }
    }
}

template <int kWidth>
__device__ inline void sampleVectors(Element const* from, Grid const* grid, Element* to,
                                     Arguments const& arguments) {
    int64_t const positions = arguments.output[0] * arguments.output[1];
    int64_t const vectors = arguments.channels / kWidth;
    int64_t const count = arguments.batch * positions * vectors;
    bool const aligned = beginsVector<kWidth>(from) && beginsVector<kWidth>(to);
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const place = quotient(index, vectors);
        int64_t const first = (index - place * vectors) * kWidth;
        int64_t const image = quotient(place, positions);
        Position const position(arguments, grid, image, place - image * positions);
        Element const* const source = from + image * arguments.image[0] + first;
        float sums[kWidth];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            sums[i] = 0.0F;
        }
#pragma unroll
        for (int y = 0; y < KILN_TAPS; ++y) {
#pragma unroll
            for (int x = 0; x < KILN_TAPS; ++x) {
                float const weight = position.y.weight[y] * position.x.weight[x];
                if (weight == 0.0F) {
                    continue;
                }
                Element const* const at = source + position.y.at[y] * arguments.image[2] +
                                          position.x.at[x] * arguments.image[3];
                Pack<Element, kWidth> const pack = loadPack<kWidth>(at, aligned);
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
                    sums[i] += weight * toFloat(pack.at[i]);
                }
            }
        }
        Element* const target = to + position.result + first;
        Pack<Element, kWidth> result;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            result.at[i] = fromFloat<Element>(sums[i]);
        }
        storePack(target, result, aligned);
    }
}

KILN_KERNEL void grid_sample_vectors(Element const* from, Grid const* grid, Element* to,
                                     KILN_IN_PLACE Arguments arguments) {
    sampleVectors<widthFor(sizeof(Element))>(from, grid, to, arguments);
}

KILN_KERNEL void grid_sample_single(Element const* from, Grid const* grid, Element* to,
                                    KILN_IN_PLACE Arguments arguments) {
    sampleVectors<1>(from, grid, to, arguments);
}
