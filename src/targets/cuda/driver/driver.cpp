// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/driver/driver.h"

#include <cstdlib>

#include <dlfcn.h>

#include "base/error.h"
#include "targets/cuda/driver/library.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libcuda.so.1"};

/// The driver, or the reason why it cannot be used.
struct Opened {
    Driver driver;
    std::string problem;
    std::string file;
};

std::string problemOfInit(Driver const& driver) {
    if (CUresult const result = driver.init(0); result != CUDA_SUCCESS) {
        char const* text = nullptr;
        driver.getErrorString(result, &text);
        return fmt::format("the NVIDIA driver does not start: {} ({})",
                           text == nullptr ? "unknown error" : text, static_cast<int>(result));
    }
    int count = 0;
    if (driver.deviceGetCount(&count) != CUDA_SUCCESS || count == 0) {
        return "the NVIDIA driver finds no GPU; look at CUDA_VISIBLE_DEVICES";
    }
    return {};
}

Opened open() {
    Opened opened;
    Library const library(
        {"the NVIDIA driver", "KILN_CUDA_DRIVER", kFiles, "Install the driver of the GPU"});
    opened.problem = library.problem();
    opened.file = library.file();
    if (!opened.problem.empty()) {
        return opened;
    }
#define KILN_LOOK_UP(name, member, parameters)                                                     \
    opened.driver.member =                                                                         \
        reinterpret_cast<decltype(opened.driver.member)>(library.symbol(#name));                   \
    if (opened.driver.member == nullptr && opened.problem.empty()) {                               \
        opened.problem = "the NVIDIA driver lacks " #name "; expected one of CUDA 12 or later";    \
    }
    KILN_CUDA_DRIVER_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
    if (opened.problem.empty()) {
        opened.problem = problemOfInit(opened.driver);
    }
    return opened;
}

Opened const& opened() {
    static auto const* const once = new Opened(open()); // never closed: threads may outlive main
    return *once;
}

} // namespace

Driver const& Driver::instance() {
    if (!opened().problem.empty()) {
        fail(ErrorKind::kUnsupported, "[cuda] {}.", opened().problem);
    }
    return opened().driver;
}

std::string const& Driver::problem() {
    return opened().problem;
}

Driver::Current Driver::currentIfLoaded() noexcept {
    char const* const named = std::getenv("KILN_CUDA_DRIVER");
    void* const library =
        dlopen(named != nullptr && *named != 0 ? named : kFiles[0], RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) {
        return {};
    }
    auto const getCurrent =
        reinterpret_cast<decltype(Driver::ctxGetCurrent)>(dlsym(library, "cuCtxGetCurrent"));
    auto const getDevice =
        reinterpret_cast<decltype(Driver::ctxGetDevice)>(dlsym(library, "cuCtxGetDevice"));
    CUcontext context = nullptr;
    Current current;
    current.found = getCurrent != nullptr && getDevice != nullptr &&
                    getCurrent(&context) == CUDA_SUCCESS && context != nullptr &&
                    getDevice(&current.device) == CUDA_SUCCESS;
    dlclose(library); // only the reference of dlopen() above
    return current;
}

std::string const& Driver::file() {
    return opened().file;
}

std::string textOf(CUresult result) {
    Driver const& driver = opened().driver;
    char const* name = nullptr;
    char const* text = nullptr;
    if (driver.getErrorName == nullptr || driver.getErrorName(result, &name) != CUDA_SUCCESS ||
        driver.getErrorString(result, &text) != CUDA_SUCCESS) {
        return fmt::format("CUDA error {}", static_cast<int>(result));
    }
    return fmt::format("{} ({})", name, text);
}

void check(CUresult result, char const* action) {
    if (result == CUDA_SUCCESS) {
        return;
    }
    if (result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_FAILED) {
        fail(ErrorKind::kDevice,
             "[cuda] {}: a kernel that ran before failed with {}. The process cannot use the GPU "
             "any more; run it again with KILN_SYNC=1 to see which layer it was.",
             action, textOf(result));
    }
    fail(result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorKind::kOutOfMemory : ErrorKind::kDevice,
         "[cuda] {}: expected success, got {}.", action, textOf(result));
}

} // namespace kiln::targets::cuda
