// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cpu/narrow_matrix.h"

namespace kiln::targets::cpu {

/// Rows of float32 by a packed matrix with its scales.
struct NarrowProduct {
    NarrowMatrix matrix;
    int64_t rows = 0;
    void const* numbers = nullptr;
    void const* scales = nullptr;
};

/// to[rows][columns] = x[rows][inner] * matrix
void multiplyNarrow(NarrowProduct const& product, float const* x, float* to);

} // namespace kiln::targets::cpu
