// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::targets::cpu {

/// A matrix of float32 in the user's order; steps in elements.
struct StridedMatrix {
    float const* data = nullptr;
    int64_t inner = 0;
    int64_t columns = 0;
    int64_t stepInner = 0;
    int64_t stepColumn = 0;
};

/// Writes a matrix as the pieces that Isa::streamProduct reads: [columns / 32][inner][32]. Columns
/// that fill up the last piece are not written.
void packPieces(StridedMatrix const& from, float* to);

} // namespace kiln::targets::cpu
