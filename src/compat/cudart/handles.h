// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The objects of one kind that are alive, so that a stale handle is an error and not a crash.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace kiln::cudart {

/// May be used from several threads. T holds plain values: they are copied out under the lock.
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

    /// Calls `use` with the object; false when there is none.
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
