// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/nest.h"
#include "targets/cuda/fast_divide.h"
#include "targets/cuda/kernel_launch.h"

namespace kiln::targets::cuda {

/// Elements per 16-byte access to the largest type of a kernel; same as widthFor() in
/// kernels/flat.cuh.
constexpr int64_t widthFor(std::size_t bytes) noexcept {
    return 16 / static_cast<int64_t>(bytes);
}

/// The launch of computeFlat() in kernels/flat.cuh, or of a function with as many vectors per
/// thread.
GridLaunch launchFlat(std::string_view function, int64_t count, int64_t width);

/// Nested loops over a dense result, outermost first, and the operands' strides along them, in
/// elements. Same layout as in kernels/broadcast.cuh.
template <int kOperands>
struct BroadcastArguments {
    int64_t count = 0;
    int32_t loops = 0;
    FastDivide extents[Dims::MAX_DIMS]; ///< the innermost in vectors if the function is `rows`
    int64_t strides[kOperands][Dims::MAX_DIMS] = {};
    int64_t spans[kOperands] = {}; ///< elements from the first to the last of an operand
};

/// The function of kernels/broadcast.cuh for these loops, for vectors of `width` elements:
///   flat      every operand is dense or one element
///   rows      the row length is a multiple of `width`
///   ragged_i  other rows longer than a vector; operand i = `dense` has the result's strides
///   elements  shorter rows, or `dense` is -1
///   wide      results of 2^31 elements and more
std::string_view broadcastFunction(int64_t count, int32_t loops, int64_t inner, int64_t width,
                                   int32_t dense);

/// The launch of one of these functions.
GridLaunch launchBroadcast(std::string_view function, int64_t count, int64_t width);

/// Fills the arguments for the loops and returns the launch.
template <std::size_t kOperands>
GridLaunch launchBroadcast(target::Nest<kOperands> const& nest, int64_t width,
                           BroadcastArguments<static_cast<int>(kOperands)>& arguments) {
    arguments.count = nest.count();
    arguments.loops = nest.rank();
    int32_t dense = -1;
    for (std::size_t i = 0; i < kOperands; ++i) {
        arguments.spans[i] = 1;
        for (int32_t loop = 0; loop < nest.rank(); ++loop) {
            arguments.strides[i][loop] = nest.stride(loop, i);
            arguments.spans[i] += (nest.extent(loop) - 1) * nest.stride(loop, i);
        }
        dense = arguments.spans[i] == nest.count() ? static_cast<int32_t>(i) : dense;
    }
    std::string_view const function =
        broadcastFunction(nest.count(), nest.rank(), nest.inner(), width, dense);
    for (int32_t loop = 0; loop < nest.rank(); ++loop) {
        bool const inVectors = function == "rows" && loop == nest.rank() - 1;
        arguments.extents[loop] = fastDivide(nest.extent(loop) / (inVectors ? width : 1));
    }
    return launchBroadcast(function, nest.count(), width);
}

} // namespace kiln::targets::cuda
