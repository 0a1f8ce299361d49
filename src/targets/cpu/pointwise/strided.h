// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading strided elements of any type as floats, and writing floats as elements.
#pragma once

#include <array>
#include <cstddef>

#include "base/dims.h"
#include "base/dtype.h"

namespace kiln::targets::cpu {

/// A nest of loops over elements, innermost last, merged where strides allow it.
struct Loops {
    int32_t rank = 0;
    std::array<int64_t, Dims::MAX_DIMS> extents{};
    std::array<int64_t, Dims::MAX_DIMS> strides{};

    void add(int64_t extent, int64_t stride) noexcept;
    bool uniform() const noexcept { return rank == 0 || (rank == 1 && strides[0] == 0); }
    bool contiguous() const noexcept { return rank == 1 && strides[0] == 1; }
};

/// Elements first ... first + count - 1 of the loops, as floats. Bools become 0 and 1.
void readElements(DataType type, void const* from, Loops const& loops, int64_t first, int64_t count,
                  float* to) noexcept;
float readElement(DataType type, void const* from, int64_t index) noexcept;

/// to[first + i] = from[i], rounded to the type; integers are truncated and saturate.
void writeElements(DataType type, float const* from, void* to, int64_t first,
                   int64_t count) noexcept;

/// Rounds to float16 or bfloat16 and back; other types leave the values as they are.
void roundElements(DataType type, float const* from, float* to, int64_t count) noexcept;

} // namespace kiln::targets::cpu
