// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_DIMS_H
#define KILN_API_DIMS_H

#include "kiln/api/macros.h"
#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1
{

class Dims64
{
public:
    static constexpr int32_t MAX_DIMS{8};
    int32_t nbDims;
    int64_t d[MAX_DIMS];
};

using Dims = Dims64;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_DIMS_H
