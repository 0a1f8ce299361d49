// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "base/dims.h"
#include "targets/cuda/blaslt/matmul_plan.h"

namespace kiln::targets::cuda {

/// KernelRecord::code of a matrix product: uint64 maximum workspace in bytes; uint64 version of the
/// library at build time (0: the build had none); uint8 bit 0: an algorithm follows, bit 1:
/// operands are rounded to TF32; the hash of the product that it was timed for as uint64, and its
/// 64 bytes.
struct ProductCode {
    uint64_t mostWorkspace = 0;
    uint64_t version = 0;
    bool tf32 = false;
    bool isTimed = false;
    StoredAlgorithm timed;

    Bytes save() const;
    static ProductCode load(ByteView bytes);
};

/// Workspace of a product with this result, in bytes: 256 KiB plus 64 partial results in float32,
/// but no more than the plan's maximum.
std::size_t productWorkspace(Dims const& result, std::size_t most);

} // namespace kiln::targets::cuda
