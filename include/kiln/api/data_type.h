// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_DATA_TYPE_H
#define KILN_API_DATA_TYPE_H

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class DataType : int32_t
{
    kFLOAT = 0,
    kHALF = 1,
    kINT8 = 2,
    kINT32 = 3,
    kBOOL = 4,
    kUINT8 = 5,
    kFP8 = 6,
    kBF16 = 7,
    kINT64 = 8,
    kINT4 = 9,
    kFP4 = 10,
    kE8M0 = 11,
};

namespace impl
{
template <>
struct EnumMaxImpl<DataType>
{
    static constexpr int32_t kVALUE{12};
};
} // namespace impl

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_DATA_TYPE_H
