// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_TENSOR_ENUMS_H
#define KILN_API_TENSOR_ENUMS_H

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class TensorLocation : int32_t
{
    kDEVICE = 0,
    kHOST = 1,
};

namespace impl
{
template <>
struct EnumMaxImpl<TensorLocation>
{
    static constexpr int32_t kVALUE{2};
};
} // namespace impl

enum class TensorIOMode : int32_t
{
    kNONE = 0,
    kINPUT = 1,
    kOUTPUT = 2,
};

namespace impl
{
template <>
struct EnumMaxImpl<TensorIOMode>
{
    static constexpr int32_t kVALUE{3};
};
} // namespace impl

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_TENSOR_ENUMS_H
