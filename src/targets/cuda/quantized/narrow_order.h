// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "base/dims.h"
#include "base/dtype.h"

namespace kiln::targets::cuda {

/// Weights as kernels/narrow_weights.cuh reads them: column by column, in steps of 64 bytes, padded
/// with zeros; elements of four bits two to a byte, the first one in the low bits.
struct NarrowOrder {
    int64_t columns = 0;
    int64_t terms = 0;
    int64_t bits = 8;

    int64_t stepTerms() const { return 64 * 8 / bits; }
    int64_t steps() const { return (terms + stepTerms() - 1) / stepTerms(); }
    int64_t bytes() const { return columns * steps() * 64; }
};

/// `byTerms`: the weights are [terms, columns], else [columns, terms]. Throws kCorruptData if the
/// bytes are not as many as the elements need.
Bytes packNarrow(NarrowOrder const& order, ByteView weights, bool byTerms);

} // namespace kiln::targets::cuda
