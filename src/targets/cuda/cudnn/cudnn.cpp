// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/cudnn.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/per_thread.h"
#include "targets/cuda/opened_library.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libcudnn.so.9"};
constexpr LibraryNames kNames{"cuDNN", "KILN_CUDNN", kFiles,
                              "Install the package nvidia-cudnn-cu13"};

/// Handles of ended threads, for reuse. They are never destroyed: plans refer to the handle that
/// they were created with, and destroying one waits for the whole GPU.
class IdleHandles {
public:
    static IdleHandles& instance() {
        static auto* const idle = new IdleHandles;
        return *idle;
    }
    cudnnHandle_t take(int gpu) {
        std::lock_guard const lock(mutex_);
        auto const found = std::find_if(handles_.begin(), handles_.end(),
                                        [&](auto const& entry) { return entry.first == gpu; });
        if (found == handles_.end()) {
            return nullptr;
        }
        cudnnHandle_t const handle = found->second;
        handles_.erase(found);
        return handle;
    }
    void give(int gpu, cudnnHandle_t handle) noexcept {
        std::lock_guard const lock(mutex_);
        try {
            handles_.emplace_back(gpu, handle);
        } catch (...) { // out of memory: the next thread creates another
            return;
        }
    }

private:
    std::mutex mutex_;
    std::vector<std::pair<int, cudnnHandle_t>> handles_; ///< by GPU
};

Opened<Cudnn> open() {
    auto opened = openLibrary<Cudnn>(kNames, "version 9", [](auto& functions, auto const& lookUp) {
#define KILN_LOOK_UP(name, member, result, parameters) lookUp(functions.member, #name);
        KILN_CUDNN_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
    });
    if (opened.problem.empty()) {
        GpuScope const scope; // the handle is for this GPU
        cudnnHandle_t first = nullptr;
        if (cudnnStatus_t const status = opened.functions.create(&first);
            status == CUDNN_STATUS_SUCCESS) {
            IdleHandles::instance().give(scope.gpu().handle, first);
        } else {
            opened.problem =
                fmt::format("cuDNN does not start: {}", opened.functions.errorString(status));
        }
    }
    return opened;
}

Opened<Cudnn> const& opened() {
    static auto const* const once = new Opened<Cudnn>(open()); // engines may outlive main
    return *once;
}

struct ThreadHandles {
    std::array<cudnnHandle_t, Gpu::kMost> handles{}; ///< by GPU
    ~ThreadHandles() {
        for (int gpu = 0; gpu < Gpu::kMost; ++gpu) {
            if (cudnnHandle_t const handle = handles[static_cast<std::size_t>(gpu)]) {
                IdleHandles::instance().give(gpu, handle);
            }
        }
    }
};

} // namespace

Cudnn const& Cudnn::instance() {
    return opened().expectUsable();
}

void Cudnn::expectPresent() {
    if (gpuProblem().empty()) {
        static bool const present = Library::isPresent(kNames);
        if (!present) {
            instance();
        }
    }
}

std::string const& Cudnn::problem() {
    return opened().problem;
}

cudnnHandle_t Cudnn::threadHandle(Gpu const& gpu) noexcept {
    static PerThread<ThreadHandles> all;
    auto const number = static_cast<std::size_t>(gpu.handle);
    if (ThreadHandles const* const own = all.find();
        own != nullptr && own->handles[number] != nullptr) [[likely]] {
        return own->handles[number];
    }
    try {
        cudnnHandle_t& own = all.get().handles[number];
        own = IdleHandles::instance().take(gpu.handle);
        if (own == nullptr && opened().problem.empty()) {
            GpuScope const scope(gpu);
            opened().functions.create(&own);
        }
        return own;
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
