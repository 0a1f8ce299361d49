// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/kernel_launch.h"

#include <algorithm>

#include "targets/cuda/gpu.h"
#include "targets/cuda/loaded_code.h"

namespace kiln::targets::cuda {

GridLaunch launchOver(std::string_view function, int64_t items, int32_t block) {
    return launchBlocks(function, items, block, block);
}

GridLaunch launchBlocks(std::string_view function, int64_t items, int64_t itemsPerBlock,
                        int32_t block) {
    int64_t const blocks = items / itemsPerBlock + (items % itemsPerBlock != 0 ? 1 : 0);
    return {function, std::min<int64_t>(blocks, INT32_MAX), 1, 1, block};
}

void KernelLaunch::set(LoadedCode const& code, std::vector<GridLaunch> const& launches) {
    launches_.clear();
    if (gpuProblem().empty()) {
        driver_ = &Driver::instance();
    }
    for (GridLaunch const& launch : launches) {
        if (launch.gridX > 0 && launch.gridY > 0 && launch.gridZ > 0) {
            launches_.push_back(
                {code.function(launch.function),
                 {static_cast<unsigned>(launch.gridX), static_cast<unsigned>(launch.gridY),
                  static_cast<unsigned>(launch.gridZ)},
                 static_cast<unsigned>(launch.block),
                 static_cast<unsigned>(launch.sharedBytes),
                 launch.overlaps && code.waitsForInputs()});
            code.allowShared(launches_.back().function, launch.sharedBytes);
        }
    }
}

void KernelLaunch::describe(Parameters const& parameters) {
    parameters_ = parameters;
    list_.assign(parameters.inputs + parameters.outputs, nullptr);
    if (parameters.workspace) {
        list_.push_back(nullptr);
    }
    if (parameters.fault != nullptr) {
        list_.push_back(&parameters_.fault);
    }
    if (parameters.runs != nullptr) {
        list_.push_back(&parameters_.runs);
    }
    list_.push_back(parameters_.arguments);
}

int32_t KernelLaunch::run(void* state, target::KernelCall const& call,
                          target::StreamHandle stream) noexcept {
    auto& self = *static_cast<KernelLaunch*>(state);
    if (self.parameters_.fault != nullptr && *self.parameters_.fault != 0) [[unlikely]] {
        return 1; // the fault of an earlier run
    }
    // The driver copies the parameters before it returns.
    void** at = self.list_.data();
    for (std::size_t i = 0; i < self.parameters_.inputs; ++i) {
        *at++ = parameterAt(call.inputs + i);
    }
    for (std::size_t i = 0; i < self.parameters_.outputs; ++i) {
        *at++ = parameterAt(call.outputs + i);
    }
    if (self.parameters_.workspace) {
        *at = const_cast<void**>(&call.workspace);
    }
    for (Prepared const& launch : self.launches_) {
        CUresult const result = self.start(launch, stream);
        if (result != CUDA_SUCCESS) [[unlikely]] {
            self.failure_ = result;
            return 1;
        }
    }
    return 0;
}

CUresult KernelLaunch::start(Prepared const& launch, CUstream stream) noexcept {
    if (!launch.overlaps) {
        return driver_->launchKernel(launch.function, launch.grid[0], launch.grid[1],
                                     launch.grid[2], launch.block, 1, 1, launch.sharedBytes, stream,
                                     list_.data(), nullptr);
    }
    CUlaunchAttribute overlap{CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 1, {}};
    CUlaunchConfig const config{launch.grid[0],
                                launch.grid[1],
                                launch.grid[2],
                                launch.block,
                                1,
                                1,
                                launch.sharedBytes,
                                stream,
                                &overlap,
                                1};
    return driver_->launchKernelEx(&config, launch.function, list_.data(), nullptr);
}

std::string KernelLaunch::failureText() const {
    return textOf(failure_);
}

} // namespace kiln::targets::cuda
