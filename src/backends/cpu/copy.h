// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "backends/cpu/numeric.h"
#include "backends/cpu/op_kernel.h"
#include "base/parallel.h"

namespace kiln::backends::cpu {

/// State of a launch that copies input 0 to output 0 as it lies in memory.
struct BytesToCopy {
    std::size_t count = 0;
};

inline void copyBytes(BytesToCopy const& bytes, KernelCall const& call) {
    auto const* from = static_cast<std::byte const*>(call.inputs[0]);
    auto* to = static_cast<std::byte*>(call.outputs[0]);
    // Memory moves at many bytes per step of grainFor().
    parallelFor(static_cast<int64_t>(bytes.count), grainFor(1) * 16,
                [&](int64_t begin, int64_t end) {
                    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
                });
}

} // namespace kiln::backends::cpu
