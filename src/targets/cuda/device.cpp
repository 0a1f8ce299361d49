// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/device.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include <fmt/core.h>

#include "targets/cuda/user_kernel.h"

namespace kiln::targets::cuda {

bool runsPlan(Gpu const& gpu, std::string_view architectures) {
    while (!architectures.empty()) {
        std::size_t const end = std::min(architectures.find('+'), architectures.size());
        if (runsCode(gpu.architecture, architectures.substr(0, end))) {
            return true;
        }
        architectures.remove_prefix(std::min(end + 1, architectures.size()));
    }
    return false;
}

CudaDevice& CudaDevice::of(int number) {
    static std::mutex mutex;
    static auto* const devices = new std::vector<std::unique_ptr<CudaDevice>>(Gpu::kMost);
    std::lock_guard const lock(mutex);
    std::unique_ptr<CudaDevice>& device = devices->at(static_cast<std::size_t>(number));
    if (device == nullptr) {
        device = std::make_unique<CudaDevice>(number);
    }
    return *device;
}

target::DeviceProperties CudaDevice::properties() const {
    Gpu const& gpu = this->gpu();
    return {gpu.name, gpu.architecture.text(), gpu.totalBytes,
            fmt::format("driver {}.{}", gpu.driverVersion / 1000, gpu.driverVersion % 1000 / 10)};
}

target::ThreadState CudaDevice::enterThread() {
    GpuScope::Left const left = GpuScope(gpu()).release();
    return {left.before, left.entered};
}

void CudaDevice::leaveThread(target::ThreadState state) noexcept {
    GpuScope::leave({static_cast<CUcontext>(state.before), state.entered});
}

std::string CudaDevice::architectureProblem(std::string_view architecture) const {
    return runsPlan(gpu(), architecture)
               ? std::string()
               : fmt::format("the GPU here is {} ({})", gpu().name, gpu().architecture.text());
}

std::string CudaDevice::codeArchitecture() const {
    return gpu().architecture.text();
}

// Prefers machine code of this architecture, then of the nearest older one, then PTX.
int32_t CudaDevice::rankOf(CodeKind kind, std::string_view architecture, int32_t ptxVersion) const {
    if (!codeProblem(kind, architecture, ptxVersion).empty()) {
        return 0;
    }
    GpuArchitecture const code = *parseGpuArchitecture(architecture);
    int32_t const closeness = code.major * 100 + code.minor * 10 + (code.suffix != 0 ? 1 : 0);
    constexpr int32_t kMachineCode = 1000000;
    return closeness + (kind == CodeKind::kCubin ? kMachineCode : 0);
}

std::string CudaDevice::codeProblem(CodeKind kind, std::string_view architecture,
                                    int32_t ptxVersion) const {
    if (kind == CodeKind::kHostObject) {
        return "it is for the CPU";
    }
    Gpu const& gpu = this->gpu();
    std::optional<GpuArchitecture> const code = parseGpuArchitecture(architecture);
    bool const runs =
        code.has_value() && (kind == CodeKind::kCubin ? runsCubin(gpu.architecture, *code)
                                                      : runsPtx(gpu.architecture, *code));
    if (!runs) {
        return fmt::format("it is for {}, the GPU here is {}", architecture,
                           gpu.architecture.text());
    }
    int32_t const newest = ptxVersionOf(gpu.driverVersion);
    if (kind == CodeKind::kPtx && ptxVersion > newest) {
        return fmt::format("it is PTX {}.{}, the driver here is for CUDA {}.{} and takes PTX up to "
                           "{}.{}; install a newer driver, or keep a cubin beside the PTX",
                           ptxVersion / 10, ptxVersion % 10, gpu.driverVersion / 1000,
                           gpu.driverVersion % 1000 / 10, newest / 10, newest % 10);
    }
    return {};
}

std::unique_ptr<target::UserKernel> CudaDevice::loadUserKernel(target::UserKernelSpec const& spec,
                                                               HandOver const&) const {
    GpuScope const scope = enter();
    return loadGpuKernel(spec);
}

} // namespace kiln::targets::cuda
