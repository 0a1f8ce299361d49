// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/cudnn.h"

#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/per_thread.h"
#include "targets/cuda/device.h"
#include "targets/cuda/driver/library.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libcudnn.so.9"};

struct OpenedCudnn {
    Cudnn functions;
    std::string problem;
};

/// Handles of ended threads, for reuse. They are never destroyed: plans refer to the handle that
/// they were created with, and destroying one waits for the whole GPU.
class IdleHandles {
public:
    static IdleHandles& instance() {
        static auto* const idle = new IdleHandles;
        return *idle;
    }
    cudnnHandle_t take() {
        std::lock_guard const lock(mutex_);
        if (handles_.empty()) {
            return nullptr;
        }
        cudnnHandle_t const handle = handles_.back();
        handles_.pop_back();
        return handle;
    }
    void give(cudnnHandle_t handle) noexcept {
        std::lock_guard const lock(mutex_);
        try {
            handles_.push_back(handle);
        } catch (...) { // out of memory: the next thread creates another
            return;
        }
    }

private:
    std::mutex mutex_;
    std::vector<cudnnHandle_t> handles_;
};

OpenedCudnn open() {
    OpenedCudnn opened;
    opened.problem = deviceProblem();
    if (!opened.problem.empty()) {
        return opened;
    }
    Library const library({"cuDNN", "KILN_CUDNN", kFiles, "Install the package nvidia-cudnn-cu13"});
    opened.problem = library.problem();
    if (!opened.problem.empty()) {
        return opened;
    }
#define KILN_LOOK_UP(name, member, result, parameters)                                             \
    opened.functions.member =                                                                      \
        reinterpret_cast<decltype(opened.functions.member)>(library.symbol(#name));                \
    if (opened.functions.member == nullptr && opened.problem.empty()) {                            \
        opened.problem = "cuDNN lacks " #name "; expected version 9";                              \
    }
    KILN_CUDNN_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
    if (opened.problem.empty()) {
        DeviceScope const scope; // the handle is for this GPU
        cudnnHandle_t first = nullptr;
        if (cudnnStatus_t const status = opened.functions.create(&first);
            status == CUDNN_STATUS_SUCCESS) {
            IdleHandles::instance().give(first);
        } else {
            opened.problem =
                fmt::format("cuDNN does not start: {}", opened.functions.errorString(status));
        }
    }
    return opened;
}

OpenedCudnn const& opened() {
    static auto const* const once = new OpenedCudnn(open()); // engines may outlive main
    return *once;
}

struct ThreadHandle {
    cudnnHandle_t handle = nullptr;
    ~ThreadHandle() {
        if (handle != nullptr) {
            IdleHandles::instance().give(handle);
        }
    }
};

} // namespace

Cudnn const& Cudnn::instance() {
    if (!opened().problem.empty()) {
        fail(ErrorKind::kUnsupported, "[cuda] {}.", opened().problem);
    }
    return opened().functions;
}

std::string const& Cudnn::problem() {
    return opened().problem;
}

cudnnHandle_t Cudnn::threadHandle() noexcept {
    static PerThread<ThreadHandle> handles;
    if (ThreadHandle const* const own = handles.find(); own != nullptr && own->handle != nullptr)
        [[likely]] {
        return own->handle;
    }
    try {
        ThreadHandle& own = handles.get();
        own.handle = IdleHandles::instance().take();
        if (own.handle == nullptr && opened().problem.empty()) {
            DeviceScope const scope; // the handle is for this GPU
            opened().functions.create(&own.handle);
        }
        return own.handle;
    } catch (...) {
        return nullptr; // the device is lost or memory is exhausted
    }
}

std::string Cudnn::textOf(cudnnStatus_t status) const {
    char details[256] = {};
    lastErrorString(details, sizeof(details));
    return details[0] == 0 ? std::string(errorString(status))
                           : fmt::format("{} ({})", errorString(status), details);
}

void Cudnn::check(cudnnStatus_t status, char const* action) const {
    if (status != CUDNN_STATUS_SUCCESS) {
        fail(ErrorKind::kUnsupported, "[cuda] cuDNN, {}: expected success, got {}.", action,
             textOf(status));
    }
}

} // namespace kiln::targets::cuda
