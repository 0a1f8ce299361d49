// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/backend.h"

#include "backend/backend_registry.h"
#include "backends/cuda/launch_limits.h"
#include "base/gpu_architecture.h"
#include "base/text.h"

namespace kiln::backends::cuda {
namespace {

constexpr char const* kBuildsOnly =
    "this version of Kiln builds plans for cuda but does not run them yet";

[[noreturn]] void refuseToRun() {
    fail(ErrorKind::kUnsupported, "[cuda] {}. Inspect the plan with kiln inspect.", kBuildsOnly);
}

} // namespace

CudaBackend::CudaBackend(backend::Target const& target) : architectures_(target.architectures) {
    if (architectures_.empty()) {
        fail(ErrorKind::kUnsupported,
             "[target] 'cuda': {}. To build a plan, name the architectures that it is for, as in "
             "cuda:sm_90.",
             kBuildsOnly);
    }
    for (std::string const& architecture : architectures_) {
        std::optional<GpuArchitecture> const parsed = parseGpuArchitecture(architecture);
        if (!parsed.has_value() || parsed->text() != architecture) {
            fail(ErrorKind::kInvalidArgument,
                 "[target] '{}': expected architectures such as sm_90, got '{}'. Write the compute "
                 "capability of the GPU without its dot after sm_.",
                 target.text(), architecture);
        }
    }
}

backend::DeviceProperties CudaBackend::properties() const {
    return {"no device", planArchitecture(), 0};
}

std::string CudaBackend::planArchitecture() const {
    return join(architectures_, "+");
}

std::string CudaBackend::architectureProblem(std::string_view) const {
    return kBuildsOnly;
}

void* CudaBackend::allocate(std::size_t, std::size_t) {
    refuseToRun();
}

void CudaBackend::release(void*) noexcept {}

void CudaBackend::copy(void*, void const*, std::size_t, backend::CopyKind, backend::StreamHandle) {
    refuseToRun();
}

void CudaBackend::fill(void*, uint8_t, std::size_t, backend::StreamHandle) {
    refuseToRun();
}

std::string CudaBackend::pointerProblem(void const*) const {
    return kBuildsOnly;
}

backend::StreamHandle CudaBackend::createStream() {
    refuseToRun();
}

void CudaBackend::destroyStream(backend::StreamHandle) noexcept {}

void CudaBackend::synchronize(backend::StreamHandle) {
    refuseToRun();
}

backend::EventHandle CudaBackend::createEvent() {
    refuseToRun();
}

void CudaBackend::destroyEvent(backend::EventHandle) noexcept {}

void CudaBackend::record(backend::EventHandle, backend::StreamHandle) {
    refuseToRun();
}

float CudaBackend::elapsedMs(backend::EventHandle, backend::EventHandle) {
    refuseToRun();
}

std::vector<backend::Candidate> CudaBackend::candidates(backend::NodeSpec const&) const {
    backend::Candidate builtIn;
    builtIn.kernel = "built-in";
    builtIn.refusal = "built-in layers are not there yet on cuda; give this network plugins with "
                      "ahead-of-time code only";
    return {builtIn};
}

std::unique_ptr<backend::Kernel> CudaBackend::load(
    backend::KernelRecord const&, std::span<backend::ConstantOperand const>) const {
    refuseToRun();
}

int32_t CudaBackend::rankOf(CodeKind, std::string_view, int32_t) const {
    return 0; // there is no device that it could run on
}

std::string CudaBackend::launchProblem(backend::UserLaunch const& launch) const {
    return problemOf(launch);
}

std::unique_ptr<backend::UserKernel> CudaBackend::loadUserKernel(backend::UserKernelSpec const&,
                                                                 HandOver const&) const {
    refuseToRun();
}

} // namespace kiln::backends::cuda

namespace kiln::backend {

void registerBackend_cuda(BackendRegistry& registry) {
    registry.add("cuda", [](Target const& target) {
        return std::make_unique<backends::cuda::CudaBackend>(target);
    });
}

} // namespace kiln::backend
