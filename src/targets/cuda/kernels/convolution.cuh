// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// convolution: y[n, m, z, y, x] = bias[m] + sum over c, kz, ky, kx of kernel[m, c, kz, ky, kx] *
// x[n, group(m) * C/groups + c, z * stride - pad + kz * dilation, ...], zeros outside the input,
// summed in float. One thread per result; neighbours read neighbouring columns. KILN_ELEMENT: the
// type; KILN_BIAS: the operand number of the bias, 1 or 2 (the kernel is the other one), or 0 for
// no bias.
#include "prelude.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

/// One spatial axis.
struct Axis {
    int64_t input;
    int64_t output;
    int64_t size;
    int64_t stride;
    int64_t dilation;
    int64_t before; ///< padding
};

struct Arguments {
    int64_t results;
    int64_t channels; ///< of a group
    int64_t maps;
    int64_t groups;
    Axis depth; ///< extent 1 if there are fewer than three spatial axes
    Axis height;
    Axis width;
};

/// The sum over one channel.
__device__ inline float channelSum(Element const* plane, Element const* weights, int64_t z,
                                   int64_t y, int64_t x, Arguments const& arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    float sum = 0.0F;
    for (int64_t kz = 0; kz < depth.size; ++kz) {
        int64_t const atZ = z + kz * depth.dilation;
        if (atZ < 0 || atZ >= depth.input) {
            continue;
        }
        for (int64_t ky = 0; ky < height.size; ++ky) {
            int64_t const atY = y + ky * height.dilation;
            if (atY < 0 || atY >= height.input) {
                continue;
            }
            Element const* row = plane + (atZ * height.input + atY) * width.input;
            Element const* factors = weights + (kz * height.size + ky) * width.size;
            for (int64_t kx = 0; kx < width.size; ++kx) {
                int64_t const atX = x + kx * width.dilation;
                if (atX >= 0 && atX < width.input) {
                    sum += toFloat(factors[kx]) * toFloat(row[atX]);
                }
            }
        }
    }
    return sum;
}

__device__ inline void convolve(Element const* from, Element const* kernel, Element const* bias,
                                Element* to, Arguments const& arguments) {
    Axis const& depth = arguments.depth;
    Axis const& height = arguments.height;
    Axis const& width = arguments.width;
    int64_t const plane = depth.input * height.input * width.input;
    int64_t const weights = depth.size * height.size * width.size;
    int64_t const step = threadCount();
    for (int64_t index = threadIndex(); index < arguments.results; index += step) {
        int64_t const rows = quotient(index, width.output);
        int64_t const slices = quotient(rows, height.output);
        int64_t const planes = quotient(slices, depth.output);
        int64_t const image = quotient(planes, arguments.maps);
        int64_t const map = planes - image * arguments.maps;
        int64_t const group = quotient(map, quotient(arguments.maps, arguments.groups));
        int64_t const z = (slices - planes * depth.output) * depth.stride - depth.before;
        int64_t const y = (rows - slices * height.output) * height.stride - height.before;
        int64_t const x = (index - rows * width.output) * width.stride - width.before;
        float sum = bias == nullptr ? 0.0F : toFloat(bias[map]);
        Element const* source =
            from + (image * arguments.groups + group) * arguments.channels * plane;
        Element const* factors = kernel + map * arguments.channels * weights;
        for (int64_t channel = 0; channel < arguments.channels; ++channel) {
            sum += channelSum(source + channel * plane, factors + channel * weights, z, y, x,
                              arguments);
        }
        to[index] = fromFloat<Element>(sum);
    }
}

#if KILN_BIAS == 0
KILN_KERNEL void convolution(Element const* from, Element const* kernel, Element* to,
                             Arguments arguments) {
    convolve(from, kernel, nullptr, to, arguments);
}
#elif KILN_BIAS == 1
KILN_KERNEL void convolution(Element const* from, Element const* bias, Element const* kernel,
                             Element* to, Arguments arguments) {
    convolve(from, kernel, bias, to, arguments);
}
#else
KILN_KERNEL void convolution(Element const* from, Element const* kernel, Element const* bias,
                             Element* to, Arguments arguments) {
    convolve(from, kernel, bias, to, arguments);
}
#endif
