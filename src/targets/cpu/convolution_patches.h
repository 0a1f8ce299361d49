// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/workload/convolution.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {

using target::ConvolutionWorkload;

/// A range of output pixels of all images, numbered [batch, depth, height, width], split into runs
/// within one output row.
struct PixelTile {
    struct Run {
        int64_t column = 0; ///< in the tile
        int64_t count = 0;
        int64_t image = 0;
        int64_t z = 0; ///< output position of the first pixel
        int64_t y = 0;
        int64_t x = 0;
    };
    int64_t columns = 0;
    int64_t runCount = 0;
    Run runs[kTileColumns];
};

PixelTile pixelTile(ConvolutionWorkload const& p, int64_t first, int64_t columns);

/// b[depth][pixels]: the input elements that kernel elements [k, k + depth) of `group` read at each
/// pixel of the tile; zeros outside the input and in the padding columns.
template <typename T>
void packPatches(ConvolutionWorkload const& p, T const* input, int64_t group, PixelTile const& tile,
                 int64_t k, int64_t depth, float* b);

extern template void packPatches(ConvolutionWorkload const&, float const*, int64_t,
                                 PixelTile const&, int64_t, int64_t, float*);
extern template void packPatches(ConvolutionWorkload const&, Half const*, int64_t, PixelTile const&,
                                 int64_t, int64_t, float*);
extern template void packPatches(ConvolutionWorkload const&, BFloat16 const*, int64_t,
                                 PixelTile const&, int64_t, int64_t, float*);

} // namespace kiln::targets::cpu
