// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// TempfileControlFlag: how a runtime may load code from a plan.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Ways in which a runtime may pass a library to the dynamic loader.
enum class TempfileControlFlag : int32_t {
    kALLOW_IN_MEMORY_FILES = 0, //!< An anonymous file in memory (memfd_create).
    kALLOW_TEMPORARY_FILES = 1, //!< A file in IRuntime::getTemporaryDirectory(), removed after use.
};

template <>
constexpr int32_t EnumMax<TempfileControlFlag>() noexcept {
    return 2;
}

//! Bit mask of TempfileControlFlag: bit `1U << i` is the flag with value i.
using TempfileControlFlags = uint32_t;

} // namespace nvinfer1

#pragma GCC visibility pop
