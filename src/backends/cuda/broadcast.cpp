// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/broadcast.h"

#include "backends/cuda/kernel_source.h"

namespace kiln::backends::cuda {

GridLaunch launchFlat(std::string_view function, int64_t count, int64_t width) {
    constexpr int64_t kVectors = 4; // as in kernels/flat.cuh
    int64_t const perThread = width * kVectors;
    return launchOver(function, count / perThread + (count % perThread != 0 ? 1 : 0));
}

std::string_view broadcastFunction(int64_t count, int32_t loops, int64_t inner, int64_t width) {
    if (loops < 2 || count == 0) {
        return "flat";
    }
    if (!fitsInt32(count)) {
        return "wide";
    }
    return inner % width == 0 ? "rows" : inner > width ? "ragged" : "elements";
}

GridLaunch launchBroadcast(std::string_view function, int64_t count, int64_t width) {
    if (function == "ragged") {
        return launchFlat(function, count, width / 2); // two vectors per thread instead of four
    }
    return launchFlat(function, count, function == "flat" || function == "rows" ? width : 1);
}

} // namespace kiln::backends::cuda
