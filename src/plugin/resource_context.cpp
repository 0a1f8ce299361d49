// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/resource_context.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

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
};

namespace {

/// Number of ended leases before an object is reused.
constexpr std::size_t kRest = 4096;

/// Objects whose lease has ended, oldest first.
struct Resting {
    std::mutex mutex;
    std::deque<std::unique_ptr<ResourceContext>> objects;
};

Resting& resting() {
    static Resting* const all = new Resting; // plugins may be destroyed after statics
    return *all;
}

ResourceContext* take() {
    Resting& all = resting();
    std::lock_guard const lock(all.mutex);
    if (all.objects.size() <= kRest) {
        return new ResourceContext;
    }
    ResourceContext* const oldest = all.objects.front().release();
    all.objects.pop_front();
    return oldest;
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
    Resting& all = resting();
    try {
        std::lock_guard const lock(all.mutex);
        all.objects.emplace_back(context_);
    } catch (std::bad_alloc const&) { // the object is never reused
    }
}

nvinfer1::IPluginResourceContext* ResourceLease::get() const noexcept {
    return context_;
}

} // namespace kiln::plugin
