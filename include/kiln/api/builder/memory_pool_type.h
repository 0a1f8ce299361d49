// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! A memory pool whose size IBuilderConfig::setMemoryPoolLimit() limits.
enum class MemoryPoolType : int32_t {
    //! Scratch memory of a single layer. Default: the memory of the device.
    kWORKSPACE = 0,
    kDLA_MANAGED_SRAM = 1, //!< DLA software-managed memory, per DLA loadable.
    kDLA_LOCAL_DRAM = 2,   //!< DLA memory for intermediate tensors, per loadable.
    kDLA_GLOBAL_DRAM = 3,  //!< DLA memory for weights and metadata, per loadable.
    //! Device memory that candidates may use while they are timed. Default: the memory of the
    //! device.
    kTACTIC_DRAM = 4,
    kTACTIC_SHARED_MEMORY = 5, //!< Shared memory per thread block of a kernel.
};

//! Number of values of MemoryPoolType, for loops and tables.
template <>
constexpr int32_t EnumMax<MemoryPoolType>() noexcept {
    return 6;
}

} // namespace nvinfer1
