// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "targets/cuda/quantized/quantized_region.h"

namespace kiln::targets::cuda {

constexpr int64_t kTermGroup = 16; ///< terms of a tap are padded to a multiple of this

/// The terms of a tap with padding, 16 at least.
constexpr int64_t paddedTerms(int64_t terms) {
    return terms < 1 ? kTermGroup : (terms + kTermGroup - 1) / kTermGroup * kTermGroup;
}

/// Weights as the kernels of quantized products read them: for each column all taps of the window,
/// for each tap its terms, padded with zeros. One byte for an element.
struct WeightOrder {
    int64_t columns = 0;
    int64_t taps = 1;
    int64_t terms = 0;

    int64_t packedBytes() const { return columns * taps * paddedTerms(terms); }
};

/// Weights of a convolution, or one matrix of a product; throws kCorruptData for other extents.
WeightOrder weightOrder(QuantizedRegion const& region, Dims const& weights);
/// Whether they are in this order as they are.
bool isOrdered(QuantizedRegion const& region, Dims const& weights);
/// Whether weights are one matrix, so that they can be packed.
bool isOneMatrix(QuantizedRegion const& region, Dims const& weights);

Bytes packWeights(QuantizedRegion const& region, ByteView weights, Dims const& dims);

} // namespace kiln::targets::cuda
