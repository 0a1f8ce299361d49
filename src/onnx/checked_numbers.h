// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Checks for the numbers of a model that decide what the parser reads and writes. Each number
// passes through here before it becomes dimensions, an axis or a 32-bit field; no importer fills
// Dims directly. All functions throw ImportError, and `what` names the quantity in the message.
#pragma once

#include "kiln/api/dims.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kiln::onnx {

// No valid shape has larger numbers. They are clamped to this one or refused, so that sums and
// differences of a few stay far inside 64 bits.
constexpr int64_t kFarthest = int64_t{1} << 40;

// A rank from 0 to Dims::MAX_DIMS.
int32_t toRank(int64_t rank, std::string_view what);

// At most Dims::MAX_DIMS numbers, in their order.
nvinfer1::Dims toDims(std::span<int64_t const> numbers, std::string_view what);

// `count` times the same number.
nvinfer1::Dims repeatedDims(int64_t count, int64_t number, std::string_view what);

// An axis from -rank to rank - 1, counted from the front.
int32_t toAxis(int64_t axis, int32_t rank);

// Distinct axes, counted from the front, in the order of the model.
std::vector<int32_t> toAxes(std::span<int64_t const> axes, int32_t rank);

// The same in ascending order.
std::vector<int32_t> toSortedAxes(std::span<int64_t const> axes, int32_t rank);

// A number that fits into a 32-bit field.
int32_t toInt32(int64_t number, std::string_view what);

// x + y and x * y; ImportError if the result does not fit into 64 bits.
int64_t sumOf(int64_t x, int64_t y, std::string_view what);
int64_t productOf(int64_t x, int64_t y, std::string_view what);

// The product of known extents.
int64_t productOf(std::span<int64_t const> extents, std::string_view what);

} // namespace kiln::onnx
