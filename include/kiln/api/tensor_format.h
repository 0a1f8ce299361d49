// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_TENSOR_FORMAT_H
#define KILN_API_TENSOR_FORMAT_H

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class TensorFormat : int32_t
{
    kLINEAR = 0,
    kCHW2 = 1,
    kHWC8 = 2,
    kCHW4 = 3,
    kCHW16 = 4,
    kCHW32 = 5,
    kDHWC8 = 6,
    kCDHW32 = 7,
    kHWC = 8,
    kDLA_LINEAR = 9,
    kDLA_HWC4 = 10,
    kHWC16 = 11,
    kDHWC = 12,
};

namespace impl
{
template <>
struct EnumMaxImpl<TensorFormat>
{
    static constexpr int32_t kVALUE{13};
};
} // namespace impl

using PluginFormat = TensorFormat;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_TENSOR_FORMAT_H
