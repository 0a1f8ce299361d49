// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "graph/ops/pooling.h"
#include "targets/cuda/fast_divide.h"
#include "targets/cuda/kernel_launch.h"

namespace kiln::targets::cuda {

struct PoolAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t size = 1;
    int64_t stride = 1;
    int64_t before = 0;
    int64_t after = 0;
};

struct PoolingArguments {
    int64_t results;
    PoolAxis depth;
    PoolAxis height;
    PoolAxis width;
    float ofLargest;
    float ofMean;
    int32_t countsPadding;
    int64_t channels;
    int32_t threads;
    int32_t strips;
    FastDivide byWidth;
    FastDivide byStrips;
    FastDivide byDepth;
    int64_t slices = 0;
    int64_t tiles = 0;
    int32_t slicesOfTile = 0;
    int32_t rowsOfTile = 0;
    int32_t padded = 0;
    float inverse = 0.0F;
    FastDivide byVectors;
    FastDivide byGroups;
    FastDivide byTileStrips;
    int64_t items = 0;
    int32_t lanes = 0;
    int32_t groupsOfWarp = 0;
    int32_t vectors = 0;
    int32_t unused = 0;
    FastDivide byPieces;
    FastDivide byRowStrips;
};

/// Which kernels of linear tensors a window allows, and their launches.
struct PoolingLaunches {
    using PoolingType = nvinfer1::PoolingType;
    static constexpr int64_t kStripRows = 4; // as in kernels/pooling.cuh
    static constexpr int64_t kBandRows = 2;  // as in kernels/pooling_rows.cuh

    /// The size and the stride of a window along an axis, counted from the last.
    static std::pair<int64_t, int64_t> alongAxis(graph::Window const& window, int32_t fromEnd) {
        int32_t const axis = window.size.nbDims - fromEnd;
        return axis < 0 ? std::pair<int64_t, int64_t>{1, 1}
                        : std::pair{window.size.d[axis], window.stride.d[axis]};
    }

    /// Whether the rows of the windows of a strip are few enough to be written out.
    static bool hasStrips(graph::Window const& window) {
        auto const [sizeY, strideY] = alongAxis(window, 2);
        auto const [sizeX, strideX] = alongAxis(window, 1);
        constexpr int64_t kMostExtent = 16;
        constexpr int64_t kMostLoads = 80;
        return sizeY <= kMostExtent && sizeX <= kMostExtent && strideX <= kMostExtent &&
               strideY <= kMostExtent &&
               std::min((kStripRows - 1) * strideY + sizeY, kStripRows * sizeY) * sizeX <=
                   kMostLoads;
    }

    // As in kernels/pooling_tiles.cuh.
    static constexpr int64_t kTileRows = 4;
    static int64_t tileColumns(int64_t stride) { return stride > 1 ? 2 : 4; }

    /// Whether the windows of a thread are few enough to be written out.
    static bool hasTiles(graph::Pooling const& op) {
        auto const [sizeY, strideY] = alongAxis(op.window, 2);
        auto const [sizeX, strideX] = alongAxis(op.window, 1);
        constexpr int64_t kMostExtent = 16;
        constexpr int64_t kMostLoads = 100;
        return op.type != PoolingType::kMAX_AVERAGE_BLEND &&
               std::max({sizeY, sizeX, strideY, strideX}) <= kMostExtent &&
               ((kTileRows - 1) * strideY + sizeY) *
                       ((tileColumns(strideX) - 1) * strideX + sizeX) <=
                   kMostLoads;
    }

    /// Whether each window has an element that is not padding.
    static bool isCovered(PoolAxis const& axis) {
        return axis.before < axis.size &&
               (axis.output - 1) * axis.stride - axis.before < axis.input;
    }
    static bool isFull(PoolAxis const& axis) {
        return axis.before == 0 && (axis.output - 1) * axis.stride + axis.size <= axis.input;
    }

    static int64_t beforeRow(graph::Window const& window) {
        return window.prePadding.d[window.size.nbDims - 1];
    }

    /// Whether windows reach the vectors of the lanes beside a lane at most; as in
    /// kernels/pooling_rows.cuh.
    static bool hasRows(graph::Pooling const& op, int64_t vector) {
        auto const [sizeY, strideY] = alongAxis(op.window, 2);
        auto const [sizeX, strideX] = alongAxis(op.window, 1);
        constexpr int64_t kMostLines = 12;
        int64_t const before = beforeRow(op.window);
        return op.type != PoolingType::kMAX_AVERAGE_BLEND && !op.window.computesPadding() &&
               (kBandRows - 1) * strideY + sizeY <= kMostLines && strideX * 2 <= vector &&
               vector % strideX == 0 && before <= vector && sizeX - strideX - before <= vector;
    }

    /// Warps of rows; none if rows are no vectors, or if results are not above their inputs.
    static GridLaunch overRows(graph::Pooling const& op, int64_t vector,
                               PoolingArguments& arguments) {
        PoolAxis const& depth = arguments.depth;
        PoolAxis const& height = arguments.height;
        PoolAxis const& width = arguments.width;
        constexpr int64_t kLanes = 32;
        constexpr int64_t kWarps = 8;
        GridLaunch launch{"pooling_rows", 0, 1, 1, kLanes * kWarps};
        if (!hasRows(op, vector) || arguments.results == 0 || !isCovered(depth) ||
            !isCovered(height) || !isCovered(width) || width.input % vector != 0 ||
            width.output > width.input / width.stride ||
            height.input * width.input > INT32_MAX / 2 ||
            height.output * width.output > INT32_MAX / 2) {
            return launch;
        }
        int64_t const vectors = width.input / vector;
        int64_t const behind = std::max<int64_t>(width.size - width.stride - width.before, 0);
        int64_t const ends = (width.before > 0 ? 1 : 0) + (behind > 0 ? 1 : 0);
        bool const whole = vectors <= kLanes;
        int64_t const pieces = whole ? 1 : (vectors - 1) / (kLanes - ends) + 1;
        int64_t const strips = (height.output - 1) / kBandRows + 1;
        int64_t const slices = arguments.results / (height.output * width.output);
        int64_t const groups = whole ? kLanes / vectors : 1;
        arguments.items = slices * strips * pieces;
        if (arguments.items > INT32_MAX) {
            return launch;
        }
        arguments.lanes = static_cast<int32_t>(whole ? vectors : kLanes);
        arguments.groupsOfWarp = static_cast<int32_t>(groups);
        arguments.vectors = static_cast<int32_t>(vectors);
        arguments.byPieces = fastDivide(pieces);
        arguments.byRowStrips = fastDivide(strips);
        arguments.byDepth = fastDivide(depth.output);
        arguments.inverse = inverseOf(depth, height, width);
        launch.gridX = (arguments.items - 1) / (groups * kWarps) + 1;
        return launch;
    }

    /// Of the elements of a window, if all windows have as many; else 0.
    static float inverseOf(PoolAxis const& depth, PoolAxis const& height, PoolAxis const& width) {
        return isFull(depth) && isFull(height) && isFull(width)
                   ? 1.0F / static_cast<float>(depth.size * height.size * width.size)
                   : 0.0F;
    }

    /// Blocks of tiles; none if a window is too large for shared memory.
    static GridLaunch overTiles(graph::Pooling const& op, int64_t bytes,
                                PoolingArguments& arguments) {
        PoolAxis const& depth = arguments.depth;
        PoolAxis const& height = arguments.height;
        PoolAxis const& width = arguments.width;
        GridLaunch launch{"pooling_tiles", 0, 1, 1, 256};
        if (!hasTiles(op) || arguments.results == 0 || !isCovered(depth) || !isCovered(height) ||
            !isCovered(width) || height.input * width.input > INT32_MAX / 2) {
            return launch;
        }
        constexpr int64_t kBytesWanted = 16384; // then several blocks share a multiprocessor
        constexpr int64_t kMostBytes = 49152;
        int64_t const vector = 16 / bytes;
        int64_t const strips = (height.output + kTileRows - 1) / kTileRows;
        int64_t const planes = std::min(depth.size, depth.input);
        auto const vectorsFor = [&](int64_t count) {
            int64_t const rows = (count * kTileRows - 1) * height.stride + height.size;
            return (rows * width.input + vector - 1) / vector + 1;
        };
        int64_t count = strips; // of a tile
        while (count > 1 && vectorsFor(count) * 16 * planes > kBytesWanted) {
            count = (count + 1) / 2;
        }
        int64_t const vectors = vectorsFor(count);
        // Columns of padding, and those of results behind the last one, in words.
        int64_t const columns = tileColumns(width.stride);
        constexpr int64_t kFront = 16;
        int64_t const margin = (kFront + columns * width.stride + width.size) / vector + 1;
        if ((vectors * planes + margin) * 16 > kMostBytes) {
            return launch;
        }
        bool const flat = depth.size == 1 && depth.stride == 1 && depth.input == depth.output;
        arguments.slices = arguments.results / (height.output * width.output);
        arguments.slicesOfTile = static_cast<int32_t>(
            flat && count == strips ? std::clamp<int64_t>(kBytesWanted / (vectors * 16), 1, 256)
                                    : 1);
        arguments.rowsOfTile = static_cast<int32_t>(count * kTileRows);
        arguments.tiles = (strips + count - 1) / count;
        arguments.inverse = inverseOf(depth, height, width);
        arguments.byVectors = fastDivide(vectors);
        arguments.byGroups = fastDivide((width.output + columns - 1) / columns);
        arguments.byTileStrips = fastDivide(count);
        launch.gridX = (arguments.slices * arguments.tiles - 1) / arguments.slicesOfTile + 1;
        launch.sharedBytes = static_cast<int32_t>(
            (vectors * std::max<int64_t>(planes, arguments.slicesOfTile) + margin) * 16);
        arguments.padded = width.before > 0 || !isFull(width) ? 1 : 0;
        return launch;
    }

    static GridLaunch overLinear(graph::Window const& window, PoolingArguments& arguments) {
        GridLaunch const plain = launchOver("pooling", arguments.results);
        PoolAxis const& height = arguments.height;
        PoolAxis const& width = arguments.width;
        int64_t const results = arguments.results;
        if (!hasStrips(window) || results == 0 ||
            results + kStripRows * results / height.output > INT32_MAX ||
            std::max({width.input, height.input, width.before, height.before}) > INT32_MAX / 64) {
            return plain;
        }
        int64_t const strips = (height.output - 1) / kStripRows + 1;
        arguments.threads = static_cast<int32_t>(results / height.output * strips);
        arguments.strips = static_cast<int32_t>(strips);
        arguments.byWidth = fastDivide(width.output);
        arguments.byStrips = fastDivide(strips);
        arguments.byDepth = fastDivide(arguments.depth.output);
        return launchOver("pooling_strips", arguments.threads);
    }
};

} // namespace kiln::targets::cuda
