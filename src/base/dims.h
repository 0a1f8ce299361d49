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

/// "[2,3,-1]"; for a rank outside 0..8, "[rank 9]".
std::string toText(Dims const& dims);

Dims makeDims(std::span<int64_t const> extents);
Dims makeDims(std::initializer_list<int64_t> extents);

bool sameDims(Dims const& a, Dims const& b) noexcept;

/// Number of elements. Throws on overflow and on negative extents; the message names `what`.
int64_t volume(Dims const& dims, std::string_view what);

/// Throws for a rank outside 0..8 and for extents below `least`; the message names `what`.
void checkDims(Dims const& dims, int64_t least, std::string_view what);

} // namespace kiln
