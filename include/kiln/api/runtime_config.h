// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IRuntimeConfig: configuration of an execution context.
#pragma once

#include "kiln/api/engine_enums.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Configuration of execution contexts. Implemented by Kiln. Created by
//! ICudaEngine::createRuntimeConfig(), deleted by the user.
class IRuntimeConfig : public INoCopy {
public:
    //! Sets when a context allocates its memory.
    virtual void setExecutionContextAllocationStrategy(
        ExecutionContextAllocationStrategy strategy) noexcept = 0;

    //! When a context allocates its memory. Default: ExecutionContextAllocationStrategy::kSTATIC.
    virtual ExecutionContextAllocationStrategy getExecutionContextAllocationStrategy()
        const noexcept = 0;

    ~IRuntimeConfig() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
