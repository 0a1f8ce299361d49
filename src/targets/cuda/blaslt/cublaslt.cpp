// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/cublaslt.h"

#include <array>
#include <mutex>

#include "base/error.h"
#include "targets/cuda/opened_library.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libcublasLt.so.13", "libcublasLt.so.12"};
constexpr LibraryNames kNames{"cuBLASLt", "KILN_CUBLASLT", kFiles,
                              "Install the package nvidia-cublas or the CUDA toolkit"};

/// Sets the handle for the current GPU.
cublasStatus_t handleOf(CublasLt const& functions, cublasLtHandle_t& handle) {
    static std::mutex mutex;
    static auto* const handles = new std::array<cublasLtHandle_t, Gpu::kMost>{};
    GpuScope const scope;
    std::lock_guard const lock(mutex);
    cublasLtHandle_t& known = handles->at(static_cast<std::size_t>(scope.gpu().handle));
    cublasStatus_t const status =
        known == nullptr ? functions.create(&known) : CUBLAS_STATUS_SUCCESS;
    handle = known;
    return status;
}

Opened<CublasLt> open() {
    auto opened =
        openLibrary<CublasLt>(kNames, "version 12 or 13", [](auto& functions, auto const& lookUp) {
#define KILN_LOOK_UP(name, member, result, parameters) lookUp(functions.member, #name);
            KILN_CUBLASLT_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
        });
    if (opened.problem.empty()) {
        cublasLtHandle_t handle = nullptr;
        cublasStatus_t const status = handleOf(opened.functions, handle);
        if (status != CUBLAS_STATUS_SUCCESS) {
            opened.problem =
                fmt::format("cuBLASLt does not start: {}", opened.functions.statusName(status));
        }
    }
    return opened;
}

Opened<CublasLt> const& opened() {
    static auto const* const once = new Opened<CublasLt>(open()); // engines may outlive main()
    return *once;
}

} // namespace

CublasLt const& CublasLt::instance() {
    return opened().expectUsable();
}

void CublasLt::expectPresent() {
    if (gpuProblem().empty()) {
        static bool const present = Library::isPresent(kNames);
        if (!present) {
            instance();
        }
    }
}

std::string const& CublasLt::problem() {
    return opened().problem;
}

cublasLtHandle_t CublasLt::handle() const {
    cublasLtHandle_t made = nullptr;
    check(handleOf(*this, made), "make a handle");
    return made;
}

void CublasLt::check(cublasStatus_t status, char const* action) const {
    if (status != CUBLAS_STATUS_SUCCESS) {
        fail(ErrorKind::kDevice, "[cuda] cuBLASLt, {}: expected success, got {}.", action,
             statusName(status));
    }
}

} // namespace kiln::targets::cuda
