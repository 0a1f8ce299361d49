// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include "api/reporter.h"

namespace kiln::api {

/// Throws kInvalidArgument for a number that is no strategy.
void expectStrategy(nvinfer1::ExecutionContextAllocationStrategy strategy);

/// IRuntimeConfig: plain data that createExecutionContext() reads.
class RuntimeConfig final : public nvinfer1::IRuntimeConfig {
public:
    using Strategy = nvinfer1::ExecutionContextAllocationStrategy;

    explicit RuntimeConfig(Log const& log, Strategy strategy = Strategy::kSTATIC)
        : reporter_(log), strategy_(strategy) {}

    void setExecutionContextAllocationStrategy(Strategy strategy) noexcept override;
    Strategy getExecutionContextAllocationStrategy() const noexcept override { return strategy_; }

private:
    Reporter reporter_;
    Strategy strategy_;
};

} // namespace kiln::api
