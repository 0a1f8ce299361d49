// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! The operating system and processor that will run the engine.
enum class RuntimePlatform : int32_t {
    kSAME_AS_BUILD = 0, //!< The platform of the builder. Default.
    kWINDOWS_AMD64 = 1, //!< 64-bit Windows on x86.
};

//! Number of values of RuntimePlatform, for loops and tables.
template <>
constexpr int32_t EnumMax<RuntimePlatform>() noexcept {
    return 2;
}

} // namespace nvinfer1
