// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "kiln/device.h"

#include <map>
#include <memory>
#include <mutex>

#include "api/engine.h"
#include "base/per_thread.h"
#include "target/backend_registry.h"

namespace kiln {
namespace {

using target::CopyKind;

PerThread<std::string> problems;
constinit thread_local char const* unkept = nullptr; ///< set if the text could not be copied

/// The problem of the last call on this thread; empty if it succeeded.
char const* lastProblem() noexcept {
    std::string const* const text = problems.find();
    return unkept != nullptr ? unkept : text == nullptr ? "" : text->c_str();
}

void forgetProblem() noexcept {
    unkept = nullptr;
    if (std::string* const text = problems.find()) {
        text->clear();
    }
}

void keepProblem(char const* problem) noexcept {
    try {
        problems.get() = problem;
    } catch (...) {
        unkept = "[kiln] host memory ran out. Use smaller shapes or batches. (kiln-4)";
    }
}

/// Returns call(). If it throws, keeps the message and returns `failed`.
template <typename T, typename Call>
T guarded(T failed, Call&& call) noexcept {
    try {
        forgetProblem();
        return call();
    } catch (...) {
        keepProblem(currentFailure().text);
        return failed;
    }
}

/// Runs call(). Returns false if it throws.
template <typename Call>
bool done(Call&& call) noexcept {
    return guarded(false, [&] {
        call();
        return true;
    });
}

class DeviceHandle final : public IDevice {
public:
    explicit DeviceHandle(target::Device& device)
        : device_(device), target_(device.target()), properties_(device.properties()) {}

    char const* target() const noexcept override { return target_.c_str(); }
    char const* name() const noexcept override { return properties_.name.c_str(); }
    char const* architecture() const noexcept override { return properties_.architecture.c_str(); }
    uint64_t memoryBytes() const noexcept override { return properties_.totalBytes; }
    bool usesHostMemory() const noexcept override { return device_.isHost(); }

    void* allocate(uint64_t bytes) noexcept override {
        constexpr std::size_t kAlignment = 256;
        return guarded<void*>(nullptr,
                              [&] { return device_.allocate(bytes, kAlignment, "a program"); });
    }
    void release(void* memory) noexcept override {
        if (memory != nullptr) {
            device_.release(memory);
        }
    }
    void* allocateHost(uint64_t bytes) noexcept override {
        return guarded<void*>(nullptr, [&] { return device_.allocateHost(bytes); });
    }
    void releaseHost(void* memory) noexcept override {
        if (memory != nullptr) {
            device_.releaseHost(memory);
        }
    }
    bool copy(void* to, void const* from, uint64_t bytes, MemoryCopy direction,
              cudaStream_t stream) noexcept override {
        return done([&] {
            device_.copy(to, from, bytes,
                         direction == MemoryCopy::kHOST_TO_DEVICE   ? CopyKind::kHostToDevice
                         : direction == MemoryCopy::kDEVICE_TO_HOST ? CopyKind::kDeviceToHost
                                                                    : CopyKind::kDeviceToDevice,
                         stream);
        });
    }
    bool fill(void* memory, uint8_t value, uint64_t bytes, cudaStream_t stream) noexcept override {
        return done([&] { device_.fill(memory, value, bytes, stream); });
    }

    bool createStream(cudaStream_t* stream) noexcept override {
        return done([&] { *stream = device_.createStream(); });
    }
    void destroyStream(cudaStream_t stream) noexcept override { device_.destroyStream(stream); }
    bool synchronize(cudaStream_t stream) noexcept override {
        return done([&] { device_.synchronize(stream); });
    }

    cudaEvent_t createEvent() noexcept override {
        return guarded<cudaEvent_t>(nullptr, [&] { return device_.createEvent(); });
    }
    void destroyEvent(cudaEvent_t event) noexcept override { device_.destroyEvent(event); }
    bool record(cudaEvent_t event, cudaStream_t stream) noexcept override {
        return done([&] { device_.record(event, stream); });
    }
    float elapsedMs(cudaEvent_t start, cudaEvent_t stop) noexcept override {
        return guarded(-1.0F, [&] { return device_.elapsedMs(start, stop); });
    }

    bool beginCapture(cudaStream_t stream) noexcept override {
        return done([&] { device_.beginCapture(stream); });
    }
    void* endCapture(cudaStream_t stream) noexcept override {
        return guarded<void*>(nullptr, [&] { return device_.endCapture(stream); });
    }
    bool launchGraph(void* graph, cudaStream_t stream) noexcept override {
        return done([&] { device_.launchGraph(graph, stream); });
    }
    void destroyGraph(void* graph) noexcept override { device_.destroyGraph(graph); }

    char const* problem() const noexcept override { return lastProblem(); }

private:
    target::Device& device_;
    std::string target_;
    target::DeviceProperties properties_;
};

IDevice* deviceOn(target::Device& device) {
    static std::mutex mutex;
    static auto* const known = new std::map<target::Device const*, std::unique_ptr<DeviceHandle>>;
    std::lock_guard const lock(mutex);
    std::unique_ptr<DeviceHandle>& handle = (*known)[&device];
    if (handle == nullptr) {
        handle = std::make_unique<DeviceHandle>(device);
    }
    return handle.get();
}

IDevice* deviceFor(std::string const& target) {
    target::Backend& backend = target::BackendRegistry::instance().open(target);
    target::Device* const device = backend.device();
    if (device == nullptr) {
        fail(ErrorKind::kUnsupported, "[target] '{}': {}. Plans can be built for it, not run.",
             target, backend.noDevice());
    }
    return deviceOn(*device);
}

} // namespace

IDevice* openDevice(char const* target, char const** problem) noexcept {
    IDevice* const device = guarded<IDevice*>(nullptr, [&] {
        return deviceFor(target == nullptr ? target::defaultTarget() : std::string(target));
    });
    if (problem != nullptr) {
        *problem = lastProblem();
    }
    return device;
}

IDevice* deviceOf(nvinfer1::ICudaEngine const& engine) noexcept {
    return guarded<IDevice*>(
        nullptr, [&] { return deviceOn(static_cast<api::Engine const&>(engine).core().device()); });
}

} // namespace kiln
