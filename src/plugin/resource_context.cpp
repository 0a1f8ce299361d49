// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/resource_context.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace kiln::plugin {

/// The members are atomic: a plugin that kept the address may read them in another thread.
class ResourceContext final : public nvinfer1::IPluginResourceContext {
public:
    nvinfer1::IGpuAllocator* getGpuAllocator() const noexcept override { return allocator_; }
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override { return recorder_; }

    void open(ContextServices const& services) noexcept {
        allocator_ = services.allocator;
        recorder_ = services.recorder;
    }

private:
    std::atomic<nvinfer1::IGpuAllocator*> allocator_{nullptr};
    std::atomic<nvinfer1::IErrorRecorder*> recorder_{nullptr};

public:
    ResourceContext* next = nullptr; ///< the object whose lease ended after this one's
};

namespace {

/// Number of ended leases before an object is reused.
constexpr std::size_t kRest = 4096;

/// Objects whose lease has ended, oldest first. A list, since the end of a lease must not allocate.
struct Resting {
    std::mutex mutex;
    ResourceContext* oldest = nullptr;
    ResourceContext* newest = nullptr;
    std::size_t count = 0;
};

Resting& resting() {
    static Resting* const all = new Resting; // plugins may be destroyed after statics
    return *all;
}

ResourceContext* take() {
    Resting& all = resting();
    std::lock_guard const lock(all.mutex);
    if (all.count <= kRest) {
        return new ResourceContext;
    }
    --all.count;
    ResourceContext* const next = all.oldest->next;
    return std::exchange(all.oldest, next);
}

} // namespace

ResourceLease::ResourceLease(ContextServices const& services) : context_(take()) {
    context_->open(services);
}

ResourceLease::~ResourceLease() {
    if (context_ == nullptr) {
        return;
    }
    context_->open({});
    context_->next = nullptr;
    Resting& all = resting();
    std::lock_guard const lock(all.mutex);
    (all.count == 0 ? all.oldest : all.newest->next) = context_;
    all.newest = context_;
    ++all.count;
}

nvinfer1::IPluginResourceContext* ResourceLease::get() const noexcept {
    return context_;
}

} // namespace kiln::plugin
