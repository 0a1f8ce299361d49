// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Circular padding in host memory.
#pragma once

#include "circ_pad.h"

namespace circ_pad {

// For one shape: the source of each element of a padded block. A block consists of the padded
// dimensions; offsets count elements from the start of the unpadded block.
struct Gather {
    int64_t blocks = 0;
    int64_t blockSize = 0;
    std::vector<int64_t> offsets;
};

inline Gather makeGather(nvinfer1::Dims const& shape, Pads const& pads) {
    Gather gather{1, 1, {0}};
    auto const padded = static_cast<int32_t>(pads.size() / 2);
    for (int32_t axis = 0; axis < shape.nbDims; ++axis) {
        int64_t const extent = shape.d[axis];
        int32_t const fromLast = shape.nbDims - 1 - axis;
        if (fromLast >= padded) {
            gather.blocks *= extent;
            continue;
        }
        if (extent == 0) {
            throw std::invalid_argument("a dimension without elements cannot be padded");
        }
        int64_t const before = pads[2 * fromLast];
        int64_t const after = pads[2 * fromLast + 1];
        std::vector<int64_t> offsets;
        offsets.reserve(gather.offsets.size() * (before + extent + after));
        for (int64_t const outer : gather.offsets) {
            for (int64_t i = -before; i < extent + after; ++i) {
                offsets.push_back(outer * extent + (i % extent + extent) % extent);
            }
        }
        gather.offsets = std::move(offsets);
        gather.blockSize *= extent;
    }
    return gather;
}

template <typename Element>
void copyElements(Gather const& gather, void const* input, void* output) {
    auto const* x = static_cast<Element const*>(input);
    auto* y = static_cast<Element*>(output);
    for (int64_t block = 0; block < gather.blocks; ++block, x += gather.blockSize) {
        for (int64_t const offset : gather.offsets) {
            *y++ = x[offset];
        }
    }
}

// Values are only copied, so a half is any two bytes and a float any four.
inline bool run(Gather const& gather, nvinfer1::DataType type, void const* x, void* y,
                cudaStream_t) {
    if (type == nvinfer1::DataType::kHALF) {
        copyElements<uint16_t>(gather, x, y);
    } else {
        copyElements<uint32_t>(gather, x, y);
    }
    return true;
}

} // namespace circ_pad
