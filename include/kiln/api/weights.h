// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_WEIGHTS_H
#define KILN_API_WEIGHTS_H

#include "kiln/api/data_type.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class Weights
{
public:
    DataType type;
    void const* values;
    int64_t count;
};

enum class WeightsRole : int32_t
{
    kKERNEL = 0,
    kBIAS = 1,
    kSHIFT = 2,
    kSCALE = 3,
    kCONSTANT = 4,
    kANY = 5,
};

namespace impl
{
template <>
struct EnumMaxImpl<WeightsRole>
{
    static constexpr int32_t kVALUE{6};
};
} // namespace impl

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_WEIGHTS_H
