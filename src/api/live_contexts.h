// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/context.h"

namespace kiln::api {

/// The contexts of an engine that exist, so that a refit reaches them all. Thread-safe.
class LiveContexts {
public:
    /// A context is listed as long as its entry exists.
    class Entry {
    public:
        Entry(std::shared_ptr<LiveContexts> list, runtime::Context& context)
            : list_(std::move(list)), context_(&context) {
            std::lock_guard const lock(list_->mutex_);
            list_->contexts_.push_back(context_);
        }
        ~Entry() {
            std::lock_guard const lock(list_->mutex_);
            std::erase(list_->contexts_, context_);
        }
        Entry(Entry const&) = delete;
        Entry& operator=(Entry const&) = delete;

    private:
        std::shared_ptr<LiveContexts> list_;
        runtime::Context* context_;
    };

    /// Calls use(contexts) while none is added or removed.
    template <typename Use>
    void with(Use&& use) {
        std::lock_guard const lock(mutex_);
        use(contexts_);
    }

private:
    std::mutex mutex_;
    std::vector<runtime::Context*> contexts_;
};

} // namespace kiln::api
