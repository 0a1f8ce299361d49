// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/tensors.h"

#include "base/error.h"
#include "base/tensor_layout.h"

namespace kiln::targets::cpu::onednn {

dnnl_data_type_t typeOf(DataType type) {
    switch (type) {
    case DataType::kHALF: return dnnl_f16;
    case DataType::kBF16: return dnnl_bf16;
    case DataType::kINT8: return dnnl_s8;
    default: return dnnl_f32; // refuse() lets no other type through
    }
}

MemoryDesc strided(DataType type, Extents const& extents, Extents const& strides) {
    return made<MemoryDesc>("describe a tensor", [&](dnnl_memory_desc_t* desc) {
        return Library::instance().memory_desc_create_with_strides(
            desc, static_cast<int>(extents.size()), extents.data(), typeOf(type), strides.data());
    });
}

MemoryDesc dense(DataType type, Extents const& extents) {
    Extents strides(extents.size(), 1);
    for (std::size_t i = extents.size(); i > 1; --i) {
        strides[i - 2] = strides[i - 1] * extents[i - 1];
    }
    return strided(type, extents, strides);
}

MemoryDesc tensor(target::OperandType const& type, Dims const& dims) {
    Dims const strides = stridesOf(type.format, dims);
    return strided(type.type, Extents(dims.d, dims.d + dims.nbDims),
                   Extents(strides.d, strides.d + strides.nbDims));
}

MemoryDesc ordered(DataType type, Extents const& extents, Order order) {
    dnnl_memory_desc_t desc = nullptr;
    if (Library::instance().memory_desc_create_with_tag(
            &desc, static_cast<int>(extents.size()), extents.data(), typeOf(type),
            static_cast<dnnl_format_tag_t>(order.tag)) != dnnl_success) {
        fail(ErrorKind::kCorruptData,
             "[plan] weights packed for oneDNN: expected an order of {} dimensions, got number {}. "
             "Build the plan again.",
             extents.size(), order.tag);
    }
    return MemoryDesc(desc);
}

std::vector<Order> ordersOf(const_dnnl_memory_desc_t weights, DataType type,
                            Extents const& extents) {
    Library const& library = Library::instance();
    std::vector<Order> orders;
    for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag) {
        dnnl_memory_desc_t desc = nullptr;
        if (library.memory_desc_create_with_tag(
                &desc, static_cast<int>(extents.size()), extents.data(), typeOf(type),
                static_cast<dnnl_format_tag_t>(tag)) != dnnl_success) {
            continue;
        }
        MemoryDesc const candidate(desc);
        if (library.memory_desc_equal(candidate.get(), weights) != 0) {
            orders.push_back({static_cast<uint16_t>(tag)});
        }
    }
    return orders;
}

} // namespace kiln::targets::cpu::onednn
