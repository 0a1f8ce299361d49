// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/position_map.h"

#include <algorithm>

#include "targets/cuda/driver/driver.h"

namespace kiln::targets::cuda {
namespace {

constexpr unsigned kStepBytes = 128;
constexpr unsigned kTileRows = 128;
constexpr auto kBytes = CUtensorMapDataType{0}; // CU_TENSOR_MAP_DATA_TYPE_UINT8

bool describeRows(CUtensorMap& map, void const* address, int64_t terms, int64_t rows, int64_t pitch,
                  unsigned boxRows) noexcept {
    uint64_t const extents[] = {static_cast<uint64_t>(terms), static_cast<uint64_t>(rows)};
    uint64_t const strides[] = {static_cast<uint64_t>(pitch)};
    unsigned const box[] = {kStepBytes, boxRows};
    unsigned const steps[] = {1, 1};
    return Driver::instance().tensorMapEncodeTiled(
               &map, kBytes, 2, const_cast<void*>(address), extents, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

bool describePositions(CUtensorMap& map, QuantizedArguments const& arguments,
                       void const* address) noexcept {
    QuantizedAxis const& height = arguments.height;
    QuantizedAxis const& width = arguments.width;
    int64_t const plane = int64_t{height.output} * width.output;
    if (plane == 0) {
        return false;
    }
    auto const wide = [](int64_t number) { return static_cast<uint64_t>(number); };
    auto const row = wide(arguments.leftRow);
    uint64_t const extents[] = {wide(arguments.terms), wide(width.input), wide(height.input),
                                wide(arguments.rows / plane)};
    uint64_t const strides[] = {row, row * extents[1], row * extents[1] * extents[2]};
    // From the first position of a window to the last, of which there are as many as results.
    int const lowest[] = {-width.before, -height.before};
    int const highest[] = {(width.output - 1) * width.stride - width.before - (width.input - 1),
                           (height.output - 1) * height.stride - height.before -
                               (height.input - 1)};
    unsigned const steps[] = {1, static_cast<unsigned>(width.stride),
                              static_cast<unsigned>(height.stride), 1};
    return Driver::instance().tensorMapEncodeIm2col(
               &map, kBytes, 4, const_cast<void*>(address), extents, strides, lowest, highest,
               kStepBytes, kTileRows, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

} // namespace

bool describeLeft(CUtensorMap& map, QuantizedArguments const& arguments,
                  void const* address) noexcept {
    if (arguments.taps == 0) {
        return describeRows(map, address, arguments.terms, arguments.rows, arguments.leftRow,
                            kTileRows);
    }
    return arguments.terms % kStepBytes == 0 && describePositions(map, arguments, address);
}

bool describeRight(CUtensorMap& map, QuantizedArguments const& arguments, void const* address,
                   int64_t tileColumns) noexcept {
    int64_t const taps = std::max(arguments.taps, 1);
    return describeRows(map, address, taps * arguments.paddedTerms, arguments.columns,
                        arguments.rightColumn, static_cast<unsigned>(tileColumns));
}

} // namespace kiln::targets::cuda
