// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::targets::cpu {

/// Channels, or maps, that the transforms of tiles take at once: the innermost axis of patches.
constexpr int64_t kWinogradChannels = 16;
/// Maps of one product, for which the weights are packed together.
constexpr int64_t kWinogradMaps = 32;

/// A rectangle of tiles. A patch of pixels is [rows][patchRow][kWinogradChannels]; the points of
/// all tiles are at point * pointStep + tile * tileStep. Distances in floats.
struct WinogradTiles {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t patchRow = 0; ///< pixels
    int64_t tileStep = 0;
    int64_t pointStep = 0;
};

/// What is done to sums before they are written: min(max(sum + bias, least), most).
struct WinogradFinish {
    float const* bias = nullptr; ///< of kWinogradChannels maps
    float least = 0.0F;
    float most = 0.0F;
};

} // namespace kiln::targets::cpu
