// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/cublaslt.h"

#include "base/error.h"
#include "targets/cuda/device.h"
#include "targets/cuda/driver/library.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

struct OpenedCublasLt {
    CublasLt functions;
    std::string problem;
};

OpenedCublasLt open() {
    OpenedCublasLt opened;
    opened.problem = deviceProblem();
    if (!opened.problem.empty()) {
        return opened;
    }
    Library const library({"cuBLASLt", "KILN_CUBLASLT", kFiles,
                           "Install the package nvidia-cublas or the CUDA toolkit"});
    opened.problem = library.problem();
    if (!opened.problem.empty()) {
        return opened;
    }
#define KILN_LOOK_UP(name, member, result, parameters)                                             \
    opened.functions.member =                                                                      \
        reinterpret_cast<decltype(opened.functions.member)>(library.symbol(#name));                \
    if (opened.functions.member == nullptr && opened.problem.empty()) {                            \
        opened.problem = "cuBLASLt lacks " #name "; expected version 12 or 13";                    \
    }
    KILN_CUBLASLT_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
    if (opened.problem.empty()) {
        DeviceScope const scope; // the handle is for the current GPU
        cublasStatus_t const status = opened.functions.create(&opened.functions.handle);
        if (status != CUBLAS_STATUS_SUCCESS) {
            opened.problem =
                fmt::format("cuBLASLt does not start: {}", opened.functions.statusName(status));
        }
    }
    return opened;
}

OpenedCublasLt const& opened() {
    static auto const* const once = new OpenedCublasLt(open()); // engines may outlive main()
    return *once;
}

} // namespace

CublasLt const& CublasLt::instance() {
    if (!opened().problem.empty()) {
        fail(ErrorKind::kUnsupported, "[cuda] {}.", opened().problem);
    }
    return opened().functions;
}

std::string const& CublasLt::problem() {
    return opened().problem;
}

void CublasLt::check(cublasStatus_t status, char const* action) const {
    if (status != CUBLAS_STATUS_SUCCESS) {
        fail(ErrorKind::kDevice, "[cuda] cuBLASLt, {}: expected success, got {}.", action,
             statusName(status));
    }
}

} // namespace kiln::targets::cuda
