// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <NvInferRuntimeBase.h>

namespace kiln {

using Dims = nvinfer1::Dims;

/// "[2,3,-1]"; a rank outside 0..8 is shown as such instead of reading past the array.
std::string toText(Dims const& dims);

Dims makeDims(std::span<int64_t const> extents);
Dims makeDims(std::initializer_list<int64_t> extents);

bool sameDims(Dims const& a, Dims const& b) noexcept;

/// Number of elements; checked. Errors name `what` when an extent is negative.
int64_t volume(Dims const& dims, std::string_view what);

/// Refuses a rank outside 0..8 and extents below `least`; `what` names the object in the message.
void checkDims(Dims const& dims, int64_t least, std::string_view what);

} // namespace kiln
