// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How an IKVCacheUpdateLayer writes new entries to its cache.
enum class KVCacheMode : int32_t {
    kLINEAR = 0, //!< From the write index on, without wrapping around.
};

//! Number of values of KVCacheMode, for loops and tables.
template <>
constexpr int32_t EnumMax<KVCacheMode>() noexcept {
    return 1;
}

} // namespace nvinfer1
