// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// TempfileControlFlag: where a runtime may keep code that it has to load from a file.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Ways in which a runtime may hand a library to the operating system's loader.
enum class TempfileControlFlag : int32_t {
    kALLOW_IN_MEMORY_FILES = 0, //!< A file without a name that lives in memory (memfd_create).
    kALLOW_TEMPORARY_FILES = 1, //!< A file in IRuntime::getTemporaryDirectory(), removed again.
};

template <>
constexpr int32_t EnumMax<TempfileControlFlag>() noexcept {
    return 2;
}

//! A set of TempfileControlFlag: bit i, `1U << i`, stands for the flag of value i.
using TempfileControlFlags = uint32_t;

} // namespace nvinfer1

#pragma GCC visibility pop
