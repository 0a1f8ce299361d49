// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A table of the live objects of one kind, so that a stale handle is an error and not a crash.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace kiln::cudart {

/// Thread-safe. T should hold plain values, which `use` can copy under the lock.
template <typename Handle, typename T>
class Handles {
public:
    Handle add(T value) {
        std::lock_guard const lock(mutex_);
        auto object = std::make_unique<T>(value);
        Handle const handle = reinterpret_cast<Handle>(object.get());
        alive_.emplace(handle, std::move(object));
        return handle;
    }

    bool remove(Handle handle) {
        std::lock_guard const lock(mutex_);
        return alive_.erase(handle) != 0;
    }

    /// Calls `use` with the object. Returns false if the handle is not alive.
    template <typename Use>
    bool with(Handle handle, Use use) {
        std::lock_guard const lock(mutex_);
        auto const found = alive_.find(handle);
        if (found == alive_.end()) {
            return false;
        }
        use(*found->second);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<Handle, std::unique_ptr<T>> alive_;
};

} // namespace kiln::cudart
