// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "target/workload/convolution.h"
#include "targets/cpu/winograd/tiles.h"

namespace kiln::targets::cpu {

/// A convolution of 3 x 3 with stride 1 as products of transformed tiles; float32. A task computes
/// a block of tiles for some groups of maps, with memory of its own.
struct WinogradConvolution {
    /// Where the elements of an image lie, in floats.
    struct Layout {
        int64_t image = 0;
        int64_t row = 0;
        int64_t pixel = 0;
        int64_t channel = 0; ///< 1: channels last
    };
    int64_t side = 2; ///< of a tile of results: 2 or 4
    target::ConvolutionWorkload p;
    Layout from;
    Layout to;
    int64_t slots = 1; ///< tasks that run at once
    // Set by plan().
    int64_t blockRows = 1; ///< tiles
    int64_t blockColumns = 1;
    int64_t blocksDown = 0;
    int64_t blocksAcross = 0;
    int64_t mapTasks = 1;  ///< tasks that share a block
    int64_t mapGroups = 0; ///< of kWinogradMaps, of a task

    int64_t points() const noexcept { return (side + 2) * (side + 2); }
    int64_t paddedChannels() const noexcept;
    int64_t tasks() const noexcept { return p.batch * blocksDown * blocksAcross * mapTasks; }
    /// Cuts the results into tasks for this number of threads.
    void plan(int64_t threads);
};

/// Memory of one slot, in floats: enough for all sizes of images.
int64_t winogradSlotFloats(int64_t side, int64_t channels) noexcept;

/// Floats of the transformed weights: [maps / kWinogradMaps][points][channels][kWinogradMaps].
int64_t winogradWeights(int64_t side, int64_t maps, int64_t channels) noexcept;
/// Transforms weights [maps][channels][3][3].
void packWinograd(int64_t side, int64_t maps, int64_t channels, float const* from, float* to);

/// Operands of one run.
struct WinogradCall {
    float const* from = nullptr;
    float const* weights = nullptr; ///< transformed
    float const* bias = nullptr;    ///< null: none
    float* to = nullptr;
    float* slots = nullptr; ///< memory of all slots, aligned to 64 bytes
    float least = 0.0F;     ///< limits of the results
    float most = 0.0F;
};

void runWinograd(WinogradConvolution const& plan, WinogradCall const& call) noexcept;

} // namespace kiln::targets::cpu
