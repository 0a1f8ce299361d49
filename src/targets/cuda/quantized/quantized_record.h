// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of quantized products have in common in a plan: the first byte of their code
// says whether the weights are packed (quantized_weights.h).
#pragma once

#include <memory>

#include "target/kernel.h"
#include "targets/cuda/quantized/quantized_region.h"

namespace kiln::targets::cuda {

/// The op of a record, and what it says. Throws kCorruptData.
struct QuantizedRecord {
    explicit QuantizedRecord(target::KernelRecord const& record);

    /// Throws kCorruptData unless packed weights have as many bytes as they should.
    void checkPacked(target::ConstantOperand const& weights) const;

    std::unique_ptr<graph::Op> op;
    QuantizedRegion region;
    bool packed;
};

/// KernelEntry::packs and KernelEntry::pack.
std::vector<target::PackedOperand> quantizedPacks(target::KernelRecord const& record);
Bytes packQuantized(target::KernelRecord const& record, std::size_t operand,
                    target::ConstantOperand const& original);

} // namespace kiln::targets::cuda
