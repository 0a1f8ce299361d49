// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/backend.h"

#include <algorithm>

#include "base/text.h"
#include "target/backend_registry.h"
#include "target/kernel_registry.h"
#include "targets/cuda/device.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/launch_limits.h"
#include "targets/cuda/user_kernel.h"

namespace kiln::targets::cuda {

/// Generated from the names of the files in ops/.
void registerAllKernels(target::KernelRegistry& registry);

target::KernelRegistry const& kernels() {
    static target::KernelRegistry const registry = [] {
        target::KernelRegistry filled;
        registerAllKernels(filled);
        return filled;
    }();
    return registry;
}

namespace {

/// The architectures in a plan's architecture string, "sm_80+sm_90".
std::vector<GpuArchitecture> architecturesIn(std::string_view text) {
    std::vector<GpuArchitecture> found;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('+'), text.size());
        if (auto const parsed = parseGpuArchitecture(text.substr(0, end)); parsed.has_value()) {
            found.push_back(*parsed);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

/// Whether this process's GPU runs machine code of one of the architectures.
bool deviceRuns(std::vector<GpuArchitecture> const& architectures) {
    return deviceProblem().empty() &&
           std::any_of(architectures.begin(), architectures.end(),
                       [](GpuArchitecture const& architecture) {
                           return runsCubin(Device::instance().architecture, architecture);
                       });
}

void checkArchitecture(target::Target const& target, std::string const& architecture) {
    std::optional<GpuArchitecture> const parsed = parseGpuArchitecture(architecture);
    if (!parsed.has_value() || parsed->text() != architecture) {
        fail(ErrorKind::kInvalidArgument,
             "[target] '{}': expected architectures such as sm_90, got '{}'. Write the compute "
             "capability of the GPU without its dot after sm_.",
             target.text(), architecture);
    }
}

} // namespace

bool deviceRuns(std::span<std::string const> architectures) {
    std::vector<GpuArchitecture> parsed;
    for (std::string const& architecture : architectures) {
        if (auto const one = parseGpuArchitecture(architecture); one.has_value()) {
            parsed.push_back(*one);
        }
    }
    return deviceRuns(parsed);
}

CudaBackend::CudaBackend(target::Target const& target) : architectures_(target.architectures) {
    for (std::string const& architecture : architectures_) {
        checkArchitecture(target, architecture);
    }
    if (architectures_.empty()) {
        if (!deviceProblem().empty()) {
            fail(ErrorKind::kUnsupported,
                 "[target] 'cuda': {}. To build a plan on a machine without a GPU, name the "
                 "architectures that it is for, as in cuda:sm_90.",
                 deviceProblem());
        }
        architectures_.push_back(Device::instance().architecture.text());
    }
    runsHere_ = deviceRuns(architecturesIn(planArchitecture()));
}

target::DeviceProperties CudaBackend::properties() const {
    if (!runsHere_) {
        return {"no device", planArchitecture(), 0};
    }
    Device const& device = Device::instance();
    return {
        device.name, device.architecture.text(), device.totalBytes,
        fmt::format("driver {}.{}", device.driverVersion / 1000, device.driverVersion % 1000 / 10)};
}

int32_t CudaBackend::deviceNumber() const {
    return runsHere_ ? Device::instance().handle : 0;
}

std::string CudaBackend::planArchitecture() const {
    return join(architectures_, "+");
}

std::string CudaBackend::architectureProblem(std::string_view architecture) const {
    if (!deviceProblem().empty()) {
        return deviceProblem();
    }
    Device const& device = Device::instance();
    return deviceRuns(architecturesIn(architecture))
               ? std::string()
               : fmt::format("the GPU here is {} ({})", device.name, device.architecture.text());
}

target::ThreadState CudaBackend::enterThread() {
    DeviceScope::Left const left = DeviceScope().release();
    return {left.before, left.entered};
}

void CudaBackend::leaveThread(target::ThreadState state) noexcept {
    DeviceScope::leave({static_cast<CUcontext>(state.before), state.entered});
}

std::vector<target::Candidate> CudaBackend::candidates(target::NodeSpec const& node) const {
    return kernels().candidates(node, kBytesPerSecond, architectures_);
}

std::unique_ptr<target::Kernel> CudaBackend::load(
    target::KernelRecord const& record, std::span<target::ConstantOperand const> constants) const {
    return kernels().load(name(), record, constants);
}

// Prefers machine code of this architecture, then of the nearest older one, then PTX.
int32_t CudaBackend::rankOf(CodeKind kind, std::string_view architecture,
                            int32_t ptxVersion) const {
    if (!codeProblem(kind, architecture, ptxVersion).empty()) {
        return 0;
    }
    GpuArchitecture const code = *parseGpuArchitecture(architecture);
    int32_t const closeness = code.major * 100 + code.minor * 10 + (code.suffix != 0 ? 1 : 0);
    constexpr int32_t kMachineCode = 1000000;
    return closeness + (kind == CodeKind::kCubin ? kMachineCode : 0);
}

std::string CudaBackend::codeProblem(CodeKind kind, std::string_view architecture,
                                     int32_t ptxVersion) const {
    if (kind == CodeKind::kHostObject) {
        return "it is for the CPU";
    }
    if (!deviceProblem().empty()) {
        return deviceProblem();
    }
    Device const& device = Device::instance();
    std::optional<GpuArchitecture> const code = parseGpuArchitecture(architecture);
    bool const runs =
        code.has_value() && (kind == CodeKind::kCubin ? runsCubin(device.architecture, *code)
                                                      : runsPtx(device.architecture, *code));
    if (!runs) {
        return fmt::format("it is for {}, the GPU here is {}", architecture,
                           device.architecture.text());
    }
    int32_t const newest = ptxVersionOf(device.driverVersion);
    if (kind == CodeKind::kPtx && ptxVersion > newest) {
        return fmt::format("it is PTX {}.{}, the driver here is for CUDA {}.{} and takes PTX up to "
                           "{}.{}; install a newer driver, or keep a cubin beside the PTX",
                           ptxVersion / 10, ptxVersion % 10, device.driverVersion / 1000,
                           device.driverVersion % 1000 / 10, newest / 10, newest % 10);
    }
    return {};
}

std::string CudaBackend::launchProblem(target::UserLaunch const& launch) const {
    return problemOf(launch);
}

std::unique_ptr<target::UserKernel> CudaBackend::loadUserKernel(target::UserKernelSpec const& spec,
                                                                HandOver const&) const {
    return loadGpuKernel(spec);
}

} // namespace kiln::targets::cuda

namespace kiln::target {

void registerBackend_cuda(BackendRegistry& registry) {
    registry.add("cuda", [](Target const& target) {
        return std::make_unique<targets::cuda::CudaBackend>(target);
    });
}

} // namespace kiln::target
