// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_weights.h"

#include <algorithm>

namespace kiln::targets::cuda {

bool isOneMatrix(QuantizedRegion const& region, Dims const& weights) {
    int32_t const batch = region.isConvolution() ? 0 : weights.nbDims - 2;
    return batch >= 0 &&
           std::all_of(weights.d, weights.d + batch, [](int64_t extent) { return extent == 1; });
}

WeightOrder weightOrder(QuantizedRegion const& region, Dims const& weights) {
    if (weights.nbDims < 2 || !isOneMatrix(region, weights)) {
        fail(ErrorKind::kCorruptData,
             "[plan] quantized weights: expected one matrix, got {}. Build the plan again.",
             toText(weights));
    }
    WeightOrder order;
    if (region.isConvolution()) {
        order.columns = weights.d[0];
        order.terms = weights.d[1];
        for (int32_t i = 2; i < weights.nbDims; ++i) {
            order.taps *= weights.d[i];
        }
        return order;
    }
    int32_t const column = region.columnAxis(weights.nbDims);
    order.columns = weights.d[column];
    order.terms = weights.d[2 * weights.nbDims - 3 - column];
    return order;
}

bool isOrdered(QuantizedRegion const& region, Dims const& weights) {
    WeightOrder const order = weightOrder(region, weights);
    bool const alongTerms = region.isConvolution()
                                ? order.taps == 1
                                : region.columnAxis(weights.nbDims) == weights.nbDims - 2;
    return alongTerms && order.terms % kTermGroup == 0 && order.terms > 0;
}

Bytes packWeights(QuantizedRegion const& region, ByteView weights, Dims const& dims) {
    WeightOrder const order = weightOrder(region, dims);
    if (weights.size() != static_cast<std::size_t>(order.columns * order.taps * order.terms)) {
        fail(ErrorKind::kCorruptData,
             "[plan] quantized weights: expected {} bytes, got {}. Build the plan again.",
             order.columns * order.taps * order.terms, weights.size());
    }
    // Steps in the original: a convolution has its taps innermost.
    bool const down = !region.isConvolution() && region.columnAxis(dims.nbDims) == dims.nbDims - 1;
    int64_t const perColumn = down ? 1 : order.terms * order.taps;
    int64_t const perTerm = down ? order.columns : order.taps;
    int64_t const padded = paddedTerms(order.terms);
    Bytes packed(static_cast<std::size_t>(order.packedBytes()));
    for (int64_t column = 0; column < order.columns; ++column) {
        for (int64_t tap = 0; tap < order.taps; ++tap) {
            std::byte* const to = packed.data() + (column * order.taps + tap) * padded;
            std::byte const* const from = weights.data() + column * perColumn + tap;
            for (int64_t term = 0; term < order.terms; ++term) {
                to[term] = from[term * perTerm];
            }
        }
    }
    return packed;
}

} // namespace kiln::targets::cuda
