// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_NO_COPY_H
#define KILN_API_NO_COPY_H

#include "kiln/api/macros.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class INoCopy
{
public:


protected:
    constexpr INoCopy() = default;
    virtual ~INoCopy() noexcept = default;
    INoCopy(INoCopy const& other) = delete;
    INoCopy& operator=(INoCopy const& other) = delete;
    INoCopy(INoCopy&& other) = delete;
    INoCopy& operator=(INoCopy&& other) = delete;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_NO_COPY_H
