// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include "base/parallel.h"
#include "targets/cpu/tile.h"
#include "targets/cpu/winograd/block_memory.h"
#include "targets/cpu/winograd/points.h"

namespace kiln::targets::cpu {
namespace {

/// Of the points of a block: 1 MiB. That may be more than the L2 cache holds, since they are read
/// in order. With smaller blocks, the weights, which are larger, would be read more often.
constexpr int64_t kPointFloats = 256 * 1024;
constexpr int64_t kMostTiles = 60;
constexpr int64_t kLeastTiles = 12; ///< rows that a product computes at once

int64_t paddedTo(int64_t count, int64_t step) noexcept {
    return tilesOf(count, step) * step;
}

/// Numbers of the kernels of one group of maps.
using Lanes = std::array<double, kWinogradMaps>;

/// What a weight counts at each point of a tile, along one axis: a kernel is the polynomial with
/// the weights as coefficients, at a point divided by the product of its distances to the others.
template <int64_t kSide>
std::array<std::array<double, 3>, kSide + 2> factorsOfWeights() noexcept {
    constexpr int64_t kExtent = kSide + 2;
    constexpr double kTwo[] = {0.0, 1.0, -1.0};
    constexpr double kFour[] = {0.0, kWinogradNear, -kWinogradNear, kWinogradFar, -kWinogradFar};
    double const* const points = kSide == 2 ? kTwo : kFour;
    std::array<std::array<double, 3>, kExtent> factors{};
    for (std::size_t i = 0; i + 1 < kExtent; ++i) {
        double distances = 1.0;
        for (std::size_t j = 0; j + 1 < kExtent; ++j) {
            distances *= i == j ? 1.0 : points[i] - points[j];
        }
        // With tiles of 2, the transform of patches has the point 0 with its sign changed.
        double const scale = kSide == 2 && i == 0 ? -1.0 / distances : 1.0 / distances;
        factors[i] = {scale, scale * points[i], scale * points[i] * points[i]};
    }
    factors[kExtent - 1][2] = 1.0; // infinity
    return factors;
}

Lanes sumOf(std::array<double, 3> const& factors, Lanes const& a, Lanes const& b,
            Lanes const& c) noexcept {
    Lanes sum;
    for (std::size_t lane = 0; lane < sum.size(); ++lane) {
        sum[lane] = factors[0] * a[lane] + factors[1] * b[lane] + factors[2] * c[lane];
    }
    return sum;
}

/// Kernels of one channel at all points; those of point i to `to` + i * `step`.
template <int64_t kSide>
void transformKernels(std::array<Lanes, 9> const& kernels, float* to, int64_t step) noexcept {
    constexpr std::size_t kExtent = kSide + 2;
    static std::array<std::array<double, 3>, kExtent> const factors = factorsOfWeights<kSide>();
    for (std::size_t i = 0; i < kExtent; ++i) {
        std::array<Lanes, 3> half;
        for (std::size_t x = 0; x < 3; ++x) {
            half[x] = sumOf(factors[i], kernels[x], kernels[3 + x], kernels[6 + x]);
        }
        for (std::size_t j = 0; j < kExtent; ++j) {
            Lanes const point = sumOf(factors[j], half[0], half[1], half[2]);
            std::transform(point.begin(), point.end(),
                           to + static_cast<int64_t>(i * kExtent + j) * step,
                           [](double value) { return static_cast<float>(value); });
        }
    }
}

} // namespace

int64_t mostWinogradTiles(int64_t side, int64_t channels) noexcept {
    int64_t const points = (side + 2) * (side + 2);
    int64_t const fitting = kPointFloats / (points * paddedTo(channels, kWinogradChannels));
    return std::clamp(fitting / kLeastTiles * kLeastTiles, kLeastTiles, kMostTiles);
}

BlockMemory::BlockMemory(int64_t side, int64_t channels) noexcept {
    int64_t const points = (side + 2) * (side + 2);
    int64_t const tiles = mostWinogradTiles(side, channels);
    // An odd number of cache lines keeps points of one tile out of one set of the cache.
    pointStep = paddedTo(tiles * paddedTo(channels, kWinogradChannels), 32) + 16;
    sumStep = paddedTo(tiles * kWinogradMaps, 32) + 16;
    // A block of one row of tiles has the longest border.
    int64_t const pixels = (side + 2) * (side * tiles + 2);
    patch = 0;
    inputs = patch + pixels * kWinogradChannels;
    sums = inputs + points * pointStep;
    total = paddedTo(sums + points * sumStep, 16);
}

int64_t WinogradConvolution::paddedChannels() const noexcept {
    return paddedTo(p.channels, kWinogradChannels);
}

/// Blocks have whole rows of tiles where these fit. Of the ways to cut them and to share the maps,
/// the one with the least work for the busiest thread is taken.
void WinogradConvolution::plan(int64_t threads) {
    int64_t const down = tilesOf(p.height.output, side);
    int64_t const across = tilesOf(p.width.output, side);
    int64_t const most = mostWinogradTiles(side, p.channels);
    int64_t const groups = tilesOf(p.maps, kWinogradMaps);
    blocksAcross = std::max<int64_t>(1, tilesOf(across, most));
    blockColumns = std::max<int64_t>(1, tilesOf(across, blocksAcross));
    blocksAcross = tilesOf(across, blockColumns);
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t const mostRows =
        std::clamp<int64_t>(most / blockColumns, 1, std::max<int64_t>(1, down));
    for (int64_t rows = mostRows; rows >= 1; --rows) {
        for (int64_t share = 1; share <= std::min(groups, threads); ++share) {
            int64_t const blocks = p.batch * blocksAcross * tilesOf(down, rows);
            int64_t const ofTask = tilesOf(groups, share);
            int64_t const count = blocks * tilesOf(groups, ofTask);
            // In products of all points of a tile, with one group of maps: reading the weights of a
            // group takes as long as 6 of them, the transform of a tile as long as half of one.
            int64_t const tiles = rows * blockColumns;
            int64_t const work = ofTask * (2 * tiles + 12) + tiles;
            int64_t const time = tilesOf(count, threads) * work;
            if (time < least) {
                least = time;
                blockRows = rows;
                blocksDown = tilesOf(down, rows);
                mapGroups = ofTask;
                mapTasks = tilesOf(groups, ofTask);
            }
        }
    }
}

int64_t winogradSlotFloats(int64_t side, int64_t channels) noexcept {
    return BlockMemory(side, channels).total;
}

int64_t winogradWeights(int64_t side, int64_t maps, int64_t channels) noexcept {
    return paddedTo(maps, kWinogradMaps) * (side + 2) * (side + 2) * channels;
}

void packWinograd(int64_t side, int64_t maps, int64_t channels, float const* from, float* to) {
    int64_t const points = (side + 2) * (side + 2);
    int64_t const groups = tilesOf(maps, kWinogradMaps);
    auto const transform = side == 2 ? transformKernels<2> : transformKernels<4>;
    parallelFor(groups * channels, 8, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
            int64_t const map = task / channels * kWinogradMaps;
            int64_t const channel = task % channels;
            std::array<Lanes, 9> kernels{};
            for (int64_t lane = 0; lane < std::min(kWinogradMaps, maps - map); ++lane) {
                float const* const kernel = from + ((map + lane) * channels + channel) * 9;
                for (std::size_t i = 0; i < kernels.size(); ++i) {
                    kernels[i][static_cast<std::size_t>(lane)] = kernel[i];
                }
            }
            transform(kernels, to + map * points * channels + channel * kWinogradMaps,
                      channels * kWinogradMaps);
        }
    });
}

} // namespace kiln::targets::cpu
