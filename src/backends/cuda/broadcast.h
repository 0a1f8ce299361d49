// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/nest.h"
#include "backends/cuda/fast_divide.h"
#include "backends/cuda/kernel_launch.h"

namespace kiln::backends::cuda {

/// Elements of one wide access when the largest type of a kernel has so many bytes; as widthFor()
/// in kernels/flat.cuh.
constexpr int64_t widthFor(std::size_t bytes) noexcept {
    return 16 / static_cast<int64_t>(bytes);
}

/// The launch of computeFlat() in kernels/flat.cuh.
GridLaunch launchFlat(std::string_view function, int64_t count, int64_t width);

/// Nested loops over a dense result, outermost first, and the strides of the operands along them,
/// in elements. As in kernels/broadcast.cuh.
template <int kOperands>
struct BroadcastArguments {
    int64_t count = 0;
    int32_t loops = 0;
    FastDivide extents[Dims::MAX_DIMS]; ///< the innermost in vectors of the function
    int64_t strides[kOperands][Dims::MAX_DIMS] = {};
};

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
        bool const innermost = loop == nest.rank() - 1;
        arguments.extents[loop] =
            fastDivide(innermost && vectors ? nest.extent(loop) / width : nest.extent(loop));
        for (std::size_t i = 0; i < kOperands; ++i) {
            arguments.strides[i][loop] = nest.stride(loop, i);
        }
    }
    return launchFlat(function, nest.count(), vectors ? width : 1);
}

} // namespace kiln::backends::cuda
