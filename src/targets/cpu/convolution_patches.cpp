// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/convolution_patches.h"

namespace kiln::targets::cpu {
namespace {

/// to[i] = row[x + i * stride], 0 outside the row.
template <typename T>
void copyRun(T const* row, int64_t width, int64_t x, int64_t stride, int64_t count, float* to) {
    if (stride == 1) {
        int64_t const begin = std::clamp<int64_t>(-x, 0, count);
        int64_t const end = std::clamp<int64_t>(width - x, begin, count);
        std::fill(to, to + begin, 0.0F);
        toFloats(row + x + begin, to + begin, end - begin);
        std::fill(to + end, to + count, 0.0F);
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        int64_t const at = x + i * stride;
        to[i] = at >= 0 && at < width ? load(row[at]) : 0.0F;
    }
}

} // namespace

PixelTile pixelTile(ConvolutionWorkload const& p, int64_t first, int64_t columns) {
    PixelTile tile;
    tile.columns = columns;
    for (int64_t column = 0; column < columns;) {
        int64_t const pixel = first + column;
        int64_t const row = pixel / p.width.output;
        PixelTile::Run& run = tile.runs[tile.runCount++];
        run.column = column;
        run.image = row / p.height.output / p.depth.output;
        run.z = row / p.height.output % p.depth.output;
        run.y = row % p.height.output;
        run.x = pixel % p.width.output;
        run.count = std::min(columns - column, p.width.output - run.x);
        column += run.count;
    }
    return tile;
}

template <typename T>
void packPatches(ConvolutionWorkload const& p, T const* input, int64_t group, PixelTile const& tile,
                 int64_t k, int64_t depth, float* b) {
    int64_t const padding = paddedColumns(tile.columns) - tile.columns;
    for (int64_t i = 0; i < depth; ++i) {
        int64_t const kx = (k + i) % p.width.size;
        int64_t const ky = (k + i) / p.width.size % p.height.size;
        int64_t const kz = (k + i) / p.width.size / p.height.size % p.depth.size;
        int64_t const area = p.width.size * p.height.size * p.depth.size;
        int64_t const channel = group * p.channels + (k + i) / area;
        float* to = b + i * kTileColumns;
        for (int64_t r = 0; r < tile.runCount; ++r) {
            PixelTile::Run const& run = tile.runs[r];
            int64_t const y = p.height.inputOf(run.y, ky);
            int64_t const z = p.depth.inputOf(run.z, kz);
            if (y < 0 || y >= p.height.input || z < 0 || z >= p.depth.input) {
                std::fill_n(to + run.column, run.count, 0.0F);
                continue;
            }
            int64_t const plane = run.image * p.groups * p.channels + channel;
            int64_t const line = (plane * p.depth.input + z) * p.height.input + y;
            copyRun(input + line * p.width.input, p.width.input, p.width.inputOf(run.x, kx),
                    p.width.stride, run.count, to + run.column);
        }
        std::fill_n(to + tile.columns, padding, 0.0F);
    }
}

template void packPatches(ConvolutionWorkload const&, float const*, int64_t, PixelTile const&,
                          int64_t, int64_t, float*);
template void packPatches(ConvolutionWorkload const&, Half const*, int64_t, PixelTile const&,
                          int64_t, int64_t, float*);
template void packPatches(ConvolutionWorkload const&, BFloat16 const*, int64_t, PixelTile const&,
                          int64_t, int64_t, float*);

} // namespace kiln::targets::cpu
