// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/nest.h"
#include "backends/cuda/kernel_launch.h"
#include "backends/cuda/kernels/broadcast_arguments.cuh"

namespace kiln::backends::cuda {

/// Elements of one wide access when the largest type of a kernel has so many bytes; as widthFor()
/// in kernels/flat.cuh.
constexpr int64_t widthFor(std::size_t bytes) noexcept {
    return 16 / static_cast<int64_t>(bytes);
}

/// The launch of computeFlat() in kernels/flat.cuh.
GridLaunch launchFlat(std::string_view function, int64_t count, int64_t width);

/// How kernels divide by `value`, which is 1 to 2^31 - 1.
Divisor divisorOf(int64_t value) noexcept;

/// The function of kernels/broadcast.cuh for these loops, for vectors of `width` elements:
///   flat      every operand is dense or one element
///   rows      rows of a multiple of a vector
///   elements  other rows
///   wide      results of 2^31 elements and more
std::string_view broadcastFunction(int64_t count, int32_t loops, int64_t inner, int64_t width);

/// Fills the arguments for the loops and says what to launch.
template <std::size_t kOperands>
GridLaunch launchBroadcast(backend::Nest<kOperands> const& nest, int64_t width,
                           BroadcastArguments<static_cast<int>(kOperands)>& arguments) {
    arguments.count = nest.count();
    arguments.loops = nest.rank();
    std::string_view const function =
        broadcastFunction(nest.count(), nest.rank(), nest.inner(), width);
    bool const vectors = function == "flat" || function == "rows";
    for (int32_t loop = 0; loop < nest.rank(); ++loop) {
        int64_t const extent = nest.extent(loop);
        bool const innermost = loop == nest.rank() - 1;
        arguments.extents[loop] = extent;
        if (function == "rows" || function == "elements") {
            arguments.divisors[loop] = divisorOf(innermost && vectors ? extent / width : extent);
        }
        for (std::size_t i = 0; i < kOperands; ++i) {
            arguments.strides[i][loop] = nest.stride(loop, i);
        }
    }
    return launchFlat(function, nest.count(), vectors ? width : 1);
}

} // namespace kiln::backends::cuda
