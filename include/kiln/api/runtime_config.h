// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_RUNTIME_CONFIG_H
#define KILN_API_RUNTIME_CONFIG_H

#include "kiln/api/engine_enums.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IRuntimeConfig : public INoCopy
{
public:
    virtual void setExecutionContextAllocationStrategy(
        ExecutionContextAllocationStrategy strategy) noexcept = 0;
    virtual ExecutionContextAllocationStrategy getExecutionContextAllocationStrategy(
        ) const noexcept = 0;
    ~IRuntimeConfig() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_RUNTIME_CONFIG_H
