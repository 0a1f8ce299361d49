// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized elements of any type, 4 bits included, with scales of any blocks.
#pragma once

#include <cstdint>

#include "graph/quantization.h"

namespace kiln::targets::cpu {

/// Elements [first, first + count) of a dense tensor as floats.
void readDense(DataType type, void const* from, int64_t first, int64_t count, float* to) noexcept;
/// Elements of 4 bits need an even `first`; the other half of a last byte becomes 0.
void writeDense(DataType type, float const* from, void* to, int64_t first, int64_t count) noexcept;

/// How the elements of a tensor are quantized.
struct Quantization {
    graph::ScaleBlocks blocks;
    int64_t count = 0;
    DataType wide = DataType::kFLOAT; ///< of the elements before
    DataType narrow = DataType::kINT8;
    DataType scale = DataType::kFLOAT;
    bool hasZero = false; ///< of type `narrow`
};

/// Each scale is multiplied by `factor`. Elements whose scale is 0 become 0 then.
void quantize(Quantization const& how, void const* from, void const* scales, void const* zeros,
              void* to, float const* factor = nullptr) noexcept;
void dequantize(Quantization const& how, void const* from, void const* scales, void const* zeros,
                void* to) noexcept;

} // namespace kiln::targets::cpu
