// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_record.h"

#include "graph/op_registry.h"
#include "targets/cuda/quantized/quantized_weights.h"

namespace kiln::targets::cuda {

using target::ConstantOperand;
using target::KernelRecord;

QuantizedRecord::QuantizedRecord(KernelRecord const& record)
    : op(graph::OpRegistry::instance().load(graph::Region::kKind, record.parameters)),
      region(static_cast<graph::Region const&>(*op)),
      packed(ByteReader(record.code, "code of a quantized product").get<uint8_t>() != 0) {
    if (!region.problem().empty()) {
        fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
             record.kernel, region.problem());
    }
}

void QuantizedRecord::checkPacked(ConstantOperand const& weights) const {
    if (!packed) {
        return;
    }
    auto const wanted = static_cast<std::size_t>(weightOrder(region, weights.dims).packedBytes());
    if (weights.bytes != wanted) {
        fail(ErrorKind::kCorruptData,
             "[plan] packed quantized weights: expected {} bytes, got {}. Build the plan again.",
             wanted, weights.bytes);
    }
}

std::vector<target::PackedOperand> quantizedPacks(KernelRecord const& record) {
    constexpr uint16_t kByColumns = 1;
    QuantizedRecord const recorded(record);
    return recorded.packed
               ? std::vector<target::PackedOperand>{{recorded.region.right(), kByColumns}}
               : std::vector<target::PackedOperand>();
}

Bytes packQuantized(KernelRecord const& record, std::size_t, ConstantOperand const& original) {
    return packWeights(QuantizedRecord(record).region,
                       {static_cast<std::byte const*>(original.host), original.bytes},
                       original.dims);
}

} // namespace kiln::targets::cuda
