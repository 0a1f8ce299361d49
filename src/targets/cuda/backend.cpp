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

void checkArchitecture(target::Target const& target, std::string const& architecture) {
    std::optional<GpuArchitecture> const parsed = parseGpuArchitecture(architecture);
    bool const isPtx = namesPtx(architecture) && parsed.has_value() && parsed->suffix == 0;
    if (!parsed.has_value() || (parsed->text() != architecture && !isPtx)) {
        fail(ErrorKind::kInvalidArgument,
             "[target] '{}': expected architectures such as sm_90, got '{}'. Write the compute "
             "capability of the GPU without its dot after sm_, or after compute_ for PTX.",
             target.text(), architecture);
    }
}

} // namespace

bool deviceRuns(std::span<std::string const> architectures) {
    return gpuProblem().empty() && runsPlan(Gpu::current(), join(architectures, "+"));
}

CudaBackend::CudaBackend(target::Target const& target) : named_(target.architectures) {
    for (std::string const& architecture : named_) {
        checkArchitecture(target, architecture);
    }
    if (named_.empty() && !gpuProblem().empty()) {
        fail(ErrorKind::kUnsupported,
             "[target] 'cuda': {}. To build a plan on a machine without a GPU, name the "
             "architectures that it is for, as in cuda:sm_90.",
             gpuProblem());
    }
}

target::Device* CudaBackend::device(int32_t number) {
    if (!gpuProblem().empty()) {
        return nullptr;
    }
    Gpu const& gpu = number == kCurrent ? Gpu::current() : Gpu::of(number);
    return named_.empty() || runsPlan(gpu, planArchitecture()) ? &CudaDevice::of(gpu.handle)
                                                               : nullptr;
}

std::string CudaBackend::noDevice() const {
    return gpuProblem().empty()
               ? CudaDevice::of(Gpu::current().handle).architectureProblem(planArchitecture())
               : gpuProblem();
}

std::string CudaBackend::planArchitecture() const {
    return join(architectures(), "+");
}

std::vector<std::string> const& CudaBackend::architectures() const {
    return named_.empty() ? Gpu::current().architectureNames : named_;
}

std::vector<std::string> CudaBackend::codeArchitectures() const {
    std::vector<std::string> names;
    for (std::string const& name : architectures()) {
        std::string const plain = parseGpuArchitecture(name)->text();
        if (std::find(names.begin(), names.end(), plain) == names.end()) {
            names.push_back(plain);
        }
    }
    return names;
}

std::vector<target::Candidate> CudaBackend::candidates(target::NodeSpec const& node) const {
    return kernels().candidates(node, kBytesPerSecond, architectures());
}

std::unique_ptr<target::Kernel> CudaBackend::load(
    target::KernelRecord const& record, std::span<target::ConstantOperand const> constants) const {
    return kernels().load("cuda", record, constants);
}

std::optional<target::Overwriting> CudaBackend::overwriting(target::NodeSpec const& node,
                                                            target::KernelRecord const& record,
                                                            std::size_t input) const {
    return kernels().overwriting(name(), node, record, input);
}

std::vector<target::PackedOperand> CudaBackend::packs(target::KernelRecord const& record) const {
    return kernels().packs(name(), record);
}

Bytes CudaBackend::pack(target::KernelRecord const& record, std::size_t operand,
                        target::ConstantOperand const& original) const {
    return kernels().pack(name(), record, operand, original);
}

std::string CudaBackend::launchProblem(target::UserLaunch const& launch) const {
    return problemOf(launch);
}

std::unique_ptr<target::Kernel> CudaDevice::load(
    target::KernelRecord const& record, std::span<target::ConstantOperand const> constants) const {
    GpuScope const scope = enter();
    return kernels().load("cuda", record, constants);
}

} // namespace kiln::targets::cuda

namespace kiln::target {

void registerBackend_cuda(BackendRegistry& registry) {
    registry.add(
        "cuda",
        [](Target const& target) { return std::make_unique<targets::cuda::CudaBackend>(target); },
        &targets::cuda::currentGpuNumber);
}

} // namespace kiln::target
