// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies positions of a few channels, channels last, to positions of 8 channels, the rest zeros:
// cuDNN's engines read channels in groups of 8. Only for 16-bit elements; one thread for each
// position, which writes 16 bytes.
#include "prelude.cuh"

struct Arguments {
    int64_t positions;
    int64_t channels; ///< of the source, at most `padded`
    int64_t padded;   ///< a multiple of 8
};

KILN_KERNEL void pad_channels(uint16_t const* from, uint16_t* to, Arguments arguments) {
    int64_t const groups = arguments.padded / 8;
    int64_t const count = arguments.positions * groups;
    for (int64_t i = threadIndex(); i < count; i += threadCount()) {
        int64_t const position = i / groups;
        int64_t const first = (i - position * groups) * 8;
        uint16_t const* const source = from + position * arguments.channels;
        Pack<uint16_t, 8> result;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            result.at[k] = first + k < arguments.channels ? source[first + k] : uint16_t{0};
        }
        reinterpret_cast<Pack<uint16_t, 8>*>(to)[i] = result;
    }
}
