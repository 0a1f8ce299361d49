// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/padded_planes.h"

namespace kiln::targets::cpu {

PlaneBands planeBands(SlideAxis const& height, SlideAxis const& width) {
    PlaneBands bands;
    bands.height = height;
    bands.width = width;
    if (height.output == 0 || width.output == 0) {
        return bands;
    }
    bands.rowLength = width.covered(width.output);
    int64_t const fitting = kBandFloats / bands.rowLength; // rows of the input
    int64_t const window = height.covered(1);
    int64_t const most = std::min(fitting < window ? 0 : (fitting - window) / height.stride + 1,
                                  kBandFloats / width.output);
    if (most > 0) {
        bands.count = (height.output + most - 1) / most;
        bands.rows = (height.output + bands.count - 1) / bands.count;
        bands.count = (height.output + bands.rows - 1) / bands.rows;
    }
    return bands;
}

PlaneWindow PlaneBands::window(int64_t band) const noexcept {
    PlaneWindow window;
    window.height = height.size;
    window.width = width.size;
    window.rowSpacing = height.spacing * rowLength;
    window.columnSpacing = width.spacing;
    window.rowStride = height.stride * rowLength;
    window.columnStride = width.stride;
    window.rows = rowsAt(band);
    window.columns = width.output;
    window.toRow = width.output;
    return window;
}

} // namespace kiln::targets::cpu
