// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/broadcast.h"

#include "targets/cuda/kernel_source.h"

namespace kiln::targets::cuda {

GridLaunch launchFlat(std::string_view function, int64_t count, int64_t width) {
    constexpr int64_t kVectors = 4; // as in kernels/flat.cuh
    int64_t const perThread = width * kVectors;
    return launchOver(function, count / perThread + (count % perThread != 0 ? 1 : 0));
}

std::string_view broadcastFunction(int64_t count, int32_t loops, int64_t inner, int64_t width,
                                   int32_t dense) {
    constexpr char const* kRagged[] = {"ragged_0", "ragged_1", "ragged_2"};
    if (loops < 2 || count == 0) {
        return "flat";
    }
    if (!fitsInt32(count)) {
        return "wide";
    }
    if (inner % width == 0) {
        return "rows";
    }
    return dense >= 0 && inner > width ? kRagged[dense] : "elements";
}

GridLaunch launchBroadcast(std::string_view function, int64_t count, int64_t width) {
    bool const single = function == "elements" || function == "wide";
    return launchFlat(function, count, single ? 1 : width);
}

} // namespace kiln::targets::cuda
