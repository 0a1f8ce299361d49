// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Planes of images with their padding, band by band, as the window functions of Isa read them. A
// band is the rows of the input for some rows of the output, and stays in the L1 cache.
#pragma once

#include <algorithm>

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/vector_functions.h"

namespace kiln::targets::cpu {

/// Floats of a band, on a thread's stack.
constexpr int64_t kBandFloats = 8192;

/// One spatial axis of a window that slides over a plane.
struct SlideAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t size = 1; ///< taps
    int64_t stride = 1;
    int64_t spacing = 1;
    int64_t before = 0; ///< padding

    /// Input positions that `count` results read.
    int64_t covered(int64_t count) const noexcept {
        return (count - 1) * stride + (size - 1) * spacing + 1;
    }
};

/// How the planes of a workload are cut into bands.
struct PlaneBands {
    SlideAxis height;
    SlideAxis width;
    int64_t rowLength = 0; ///< of a padded row
    int64_t rows = 0;      ///< of the output, of a band; 0: a window does not fit into a band
    int64_t count = 0;     ///< bands of a plane

    /// Results of a band, in rows of the output.
    PlaneWindow window(int64_t band) const noexcept;
    int64_t rowsAt(int64_t band) const noexcept {
        return std::min(rows, height.output - band * rows);
    }
};

PlaneBands planeBands(SlideAxis const& height, SlideAxis const& width);

/// Writes what a band reads to `to`, which has kBandFloats + kSlideRoom elements; `outside` in the
/// padding.
template <typename T>
void padBand(PlaneBands const& bands, int64_t band, T const* plane, float outside,
             float* to) noexcept {
    int64_t const first = band * bands.rows * bands.height.stride - bands.height.before;
    int64_t const rows = bands.height.covered(bands.rowsAt(band));
    int64_t const width = bands.width.input;
    int64_t const before = std::min(bands.width.before, bands.rowLength);
    int64_t const inside = std::min(width, bands.rowLength - before);
    for (int64_t row = first; row < first + rows; ++row, to += bands.rowLength) {
        if (row < 0 || row >= bands.height.input) {
            std::fill_n(to, bands.rowLength, outside);
            continue;
        }
        std::fill_n(to, before, outside);
        if constexpr (std::is_same_v<T, float>) {
            copyShort(reinterpret_cast<std::byte*>(to + before),
                      reinterpret_cast<std::byte const*>(plane + row * width), inside * 4);
        } else {
            toFloats(plane + row * width, to + before, inside);
        }
        std::fill_n(to + before + inside, bands.rowLength - before - inside, outside);
    }
}

} // namespace kiln::targets::cpu
