// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_HOST_MEMORY_H
#define KILN_API_HOST_MEMORY_H

#include "kiln/api/data_type.h"
#include "kiln/api/no_copy.h"
#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IHostMemory : public INoCopy
{
public:
    virtual void* data() const noexcept = 0;
    virtual std::size_t size() const noexcept = 0;
    virtual DataType type() const noexcept = 0;
    ~IHostMemory() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_HOST_MEMORY_H
