// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! The devices, beside the one it was built for, that an engine must run on.
enum class HardwareCompatibilityLevel : int32_t {
    kNONE = 0,        //!< None: only devices with the architecture that it was built for. Default.
    kAMPERE_PLUS = 1, //!< Compute capability 8.0 and above, at some cost in speed.
    kSAME_COMPUTE_CAPABILITY = 2, //!< All devices of the same compute capability.
};

//! Number of values of HardwareCompatibilityLevel, for loops and tables.
template <>
constexpr int32_t EnumMax<HardwareCompatibilityLevel>() noexcept {
    return 3;
}

} // namespace nvinfer1
