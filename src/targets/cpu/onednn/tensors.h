// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "target/kernel.h"
#include "targets/cpu/onednn/handles.h"

namespace kiln::targets::cpu::onednn {

using Extents = std::vector<dnnl_dim_t>;

dnnl_data_type_t typeOf(DataType type);

/// Strides in elements, one for each extent.
MemoryDesc strided(DataType type, Extents const& extents, Extents const& strides);
/// Row-major.
MemoryDesc dense(DataType type, Extents const& extents);
/// A tensor of Kiln in its format, with all its dimensions.
MemoryDesc tensor(target::OperandType const& type, Dims const& dims);

/// How a primitive finds its weights.
struct Order {
    static constexpr uint16_t kPlain = 0; ///< as the tensor of Kiln
    static constexpr uint16_t kAny = 1;   ///< oneDNN chooses; for queries only
    static_assert(kAny == dnnl_format_tag_any);
    /// The plan has the plain order, and each primitive a copy in the order that it asks for: see
    /// OwnWeights. For orders that no tag describes, and weights of a narrower type.
    static constexpr uint16_t kOwn = 0xFFFF;
    uint16_t tag = kPlain; ///< else a dnnl_format_tag_t

    /// Whether the plan has another order than the tensor of Kiln.
    bool isPacked() const noexcept { return tag != kPlain && tag != kOwn; }
};

/// Weights in an order other than kPlain. Throws kCorruptData if the tag is no order of tensors
/// with these extents.
MemoryDesc ordered(DataType type, Extents const& extents, Order order);

/// The tags that describe the same bytes. There are several if an extent is 1: an implementation
/// may insist on one of them.
std::vector<Order> ordersOf(const_dnnl_memory_desc_t weights, DataType type,
                            Extents const& extents);

/// Weights as the op has them, in the type of the primitive, and how the primitive sees them.
struct Weights {
    DataType type = DataType::kFLOAT;
    Extents extents;
    Extents strides; ///< of the plain order

    MemoryDesc in(Order order) const {
        switch (order.tag) {
        case Order::kPlain: return strided(type, extents, strides);
        case Order::kOwn: return ordered(type, extents, {Order::kAny});
        default: return ordered(type, extents, order);
        }
    }
};

} // namespace kiln::targets::cpu::onednn
