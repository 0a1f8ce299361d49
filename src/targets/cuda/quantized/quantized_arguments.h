// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cuda/quantized/quantized_region.h"

namespace kiln::targets::cuda {

/// One spatial axis of a convolution.
struct QuantizedAxis {
    int32_t input = 1;
    int32_t output = 1;
    int32_t size = 1;
    int32_t stride = 1;
    int32_t dilation = 1;
    int32_t before = 0;
};

/// One loop over products: steps in bytes of the operands, in rows and columns of the result.
struct QuantizedLoop {
    int32_t extent = 1;
    int64_t left = 0;
    int64_t right = 0;
    int64_t row = 0;
    int64_t column = 0;
};

/// Same layout as in kernels/quantized_arguments.cuh, which says what the members mean.
struct QuantizedArguments {
    static constexpr std::size_t kMostLoops = 8;

    int64_t rows;
    int64_t allRows;
    int64_t leftRow;
    int64_t leftTerm;
    int64_t rightColumn;
    int64_t rightTerm;
    int64_t resultRow;
    int32_t columns;
    int32_t terms;
    int32_t paddedTerms;
    int32_t taps;
    int32_t steps;
    int32_t packed;
    int32_t wideLeft;
    int32_t wideRight;
    int32_t wideResults;
    int32_t scaleColumn;
    int32_t loops;
    QuantizedAxis depth;
    QuantizedAxis height;
    QuantizedAxis width;
    QuantizedLoop batch[kMostLoops];
    int64_t rowStrides[QuantizedRegion::kMostOperands];
    int32_t columnStrides[QuantizedRegion::kMostOperands];
};

/// Describes a region at known shapes, with weights that are packed or not. Throws kInvalidArgument
/// for shapes that the op does not give, kUnsupported for those that the kernels do not take.
QuantizedArguments describeQuantized(QuantizedRegion const& region,
                                     target::Workload const& workload, bool packed);

[[noreturn]] void failQuantizedSize(Dims const& result);

/// Whether the plan has the weights in the order of the kernels.
bool packsWeights(QuantizedRegion const& region, target::NodeSpec const& node);

/// Why the kernels of quantized products do not take the node; empty if they do.
std::string refuseQuantized(target::NodeSpec const& node);

} // namespace kiln::targets::cuda
