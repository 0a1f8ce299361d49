// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Circular padding on a GPU, with the same names as circ_pad_host.h.
#pragma once

#include "circ_pad.h"
#include "circ_pad_kernel.cu"

namespace circ_pad {

// The kernel's arguments for one shape. Dimensions before the padded ones are counted as one.
struct Gather {
    int count = 1;
    int extent[4] = {1, 1, 1, 1};
    int before[4] = {0, 0, 0, 0};
    int grown[4] = {1, 1, 1, 1};
};

inline Gather makeGather(nvinfer1::Dims const& shape, Pads const& pads) {
    Gather gather;
    auto const padded = static_cast<int32_t>(pads.size() / 2);
    int64_t count = 1;
    for (int32_t axis = 0; axis < shape.nbDims; ++axis) {
        int64_t grown = shape.d[axis];
        int32_t const fromLast = shape.nbDims - 1 - axis;
        if (fromLast < padded) {
            if (grown == 0) {
                throw std::invalid_argument("a dimension without elements cannot be padded");
            }
            int32_t const at = 3 - fromLast;
            gather.extent[at] = static_cast<int>(grown);
            gather.before[at] = pads[2 * fromLast];
            grown += pads[2 * fromLast] + pads[2 * fromLast + 1];
            gather.grown[at] = static_cast<int>(grown);
        }
        count *= grown;
    }
    if (count > INT32_MAX) {
        throw std::invalid_argument("more elements than the kernel counts");
    }
    gather.count = static_cast<int>(count);
    return gather;
}

// Enqueues the kernel on the stream; false if the launch fails.
inline bool run(Gather const& g, nvinfer1::DataType type, void const* x, void* y,
                cudaStream_t stream) {
    constexpr int kThreads = 256;
    if (g.count == 0) {
        return true;
    }
    auto const launch = [&](auto kernel, auto const* from, auto* to) {
        kernel<<<(g.count + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
            from, g.count, g.extent[0], g.before[0], g.grown[0], g.extent[1], g.before[1],
            g.grown[1], g.extent[2], g.before[2], g.grown[2], g.extent[3], g.before[3], g.grown[3],
            to);
    };
    if (type == nvinfer1::DataType::kHALF) {
        launch(circ_pad_float16, static_cast<unsigned short const*>(x),
               static_cast<unsigned short*>(y));
    } else {
        launch(circ_pad_float32, static_cast<unsigned int const*>(x),
               static_cast<unsigned int*>(y));
    }
    return cudaPeekAtLastError() == cudaSuccess;
}

} // namespace circ_pad
