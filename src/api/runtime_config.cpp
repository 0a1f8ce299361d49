// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/runtime_config.h"

namespace kiln::api {

void expectStrategy(nvinfer1::ExecutionContextAllocationStrategy strategy) {
    auto const number = static_cast<int32_t>(strategy);
    constexpr int32_t kCount = nvinfer1::EnumMax<nvinfer1::ExecutionContextAllocationStrategy>();
    if (number < 0 || number >= kCount) {
        fail(ErrorKind::kInvalidArgument,
             "[engine] execution context: expected an ExecutionContextAllocationStrategy from 0 to "
             "{}, got {}.",
             kCount - 1, number);
    }
}

void RuntimeConfig::setExecutionContextAllocationStrategy(Strategy strategy) noexcept {
    reporter_.guard([&] {
        expectStrategy(strategy);
        strategy_ = strategy;
    });
}

} // namespace kiln::api
