// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_RUNTIME_ENUMS_H
#define KILN_API_RUNTIME_ENUMS_H

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class TempfileControlFlag : int32_t
{
    kALLOW_IN_MEMORY_FILES = 0,
    kALLOW_TEMPORARY_FILES = 1,
};

namespace impl
{
template <>
struct EnumMaxImpl<TempfileControlFlag>
{
    static constexpr int32_t kVALUE{2};
};
} // namespace impl

using TempfileControlFlags = uint32_t;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_RUNTIME_ENUMS_H
