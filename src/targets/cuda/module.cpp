// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/module.h"

#include "base/error.h"

namespace kiln::targets::cuda {

Module::Module(ByteView image, Gpu const& gpu) : gpu_(gpu) {
    GpuScope const scope(gpu);
    Bytes terminated(image.begin(), image.end()); // also aligned, unlike the bytes in the plan
    terminated.push_back(std::byte{0});
    char log[4096] = {};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log) - 1)};
    CUresult const result =
        gpu.driver.moduleLoadDataEx(&module_, terminated.data(), 2, options, values);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        check(result, "load code onto the GPU");
    }
    if (result != CUDA_SUCCESS) {
        fail(ErrorKind::kUnsupported, "[cuda] the driver ({}.{}) does not load the code: {}{}{}",
             gpu.driverVersion / 1000, gpu.driverVersion % 1000 / 10, textOf(result),
             log[0] == 0 ? "" : ": ", log);
    }
}

Module::~Module() {
    try {
        GpuScope(gpu_)->moduleUnload(module_);
    } catch (...) {
        return; // the device is lost, and its code too
    }
}

CUfunction Module::function(std::string const& name) const {
    CUfunction found = nullptr;
    if (CUresult const result = GpuScope(gpu_)->moduleGetFunction(&found, module_, name.c_str());
        result != CUDA_SUCCESS) {
        fail(ErrorKind::kCorruptData, "[cuda] expected a kernel named '{}' in the code, got {}.",
             name, textOf(result));
    }
    return found;
}

void Module::allowShared(CUfunction function, int64_t bytes) const {
    std::lock_guard const lock(mutex_);
    auto const [place, isNew] = allowedShared_.try_emplace(function, 0);
    int64_t& allowed = place->second;
    if (isNew) {
        int most = 0;
        check(GpuScope(gpu_)->funcGetAttribute(
                  &most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function),
              "ask how much shared memory a kernel may use");
        allowed = most;
    }
    if (bytes > allowed) {
        check(GpuScope(gpu_)->funcSetAttribute(function,
                                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                               static_cast<int>(bytes)),
              "ask for shared memory");
        allowed = bytes;
    }
}

} // namespace kiln::targets::cuda
