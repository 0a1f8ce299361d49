// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/module.h"

#include "backends/cuda/device.h"

namespace kiln::backends::cuda {

Module::Module(ByteView image) {
    Device const& device = Device::instance();
    device.enter();
    Bytes terminated(image.begin(), image.end()); // and aligned, wherever the plan has it
    terminated.push_back(std::byte{0});
    char log[4096] = {};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log) - 1)};
    CUresult const result =
        device.driver.moduleLoadDataEx(&module_, terminated.data(), 2, options, values);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        check(result, "load code onto the GPU");
    }
    if (result != CUDA_SUCCESS) {
        fail(ErrorKind::kUnsupported, "[cuda] the driver ({}.{}) does not load the code: {}{}{}",
             device.driverVersion / 1000, device.driverVersion % 1000 / 10, textOf(result),
             log[0] == 0 ? "" : ": ", log);
    }
}

Module::~Module() {
    Device const& device = Device::instance();
    CUcontext current = nullptr;
    device.driver.ctxGetCurrent(&current);
    if (current == device.context || device.driver.ctxSetCurrent(device.context) == CUDA_SUCCESS) {
        device.driver.moduleUnload(module_);
    }
}

CUfunction Module::function(std::string const& name) const {
    Device const& device = Device::instance();
    device.enter();
    CUfunction found = nullptr;
    if (CUresult const result = device.driver.moduleGetFunction(&found, module_, name.c_str());
        result != CUDA_SUCCESS) {
        fail(ErrorKind::kCorruptData, "[cuda] expected a kernel named '{}' in the code, got {}.",
             name, textOf(result));
    }
    return found;
}

} // namespace kiln::backends::cuda
