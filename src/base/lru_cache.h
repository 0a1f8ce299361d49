// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace kiln {

/// A cache that evicts the least recently used entry when it has more than `most` entries.
/// Thread-safe. find() copies the value, so values should be cheap to copy.
template <typename Key, typename Value>
class LruCache {
public:
    explicit LruCache(std::size_t most) : most_(most) {}

    std::optional<Value> find(Key const& key) {
        std::lock_guard const lock(mutex_);
        auto const found = places_.find(key);
        if (found == places_.end()) {
            return std::nullopt;
        }
        entries_.splice(entries_.begin(), entries_, found->second); // most recently used
        return found->second->second;
    }

    /// Keeps the existing value if another thread has stored one.
    void store(Key const& key, Value value) {
        std::lock_guard const lock(mutex_);
        if (places_.contains(key)) {
            return;
        }
        entries_.emplace_front(key, std::move(value));
        places_.emplace(key, entries_.begin());
        if (entries_.size() > most_) {
            places_.erase(entries_.back().first);
            entries_.pop_back();
        }
    }

    std::size_t size() const {
        std::lock_guard const lock(mutex_);
        return entries_.size();
    }
    std::size_t most() const noexcept { return most_; }

private:
    using Entries = std::list<std::pair<Key, Value>>;

    std::size_t most_;
    mutable std::mutex mutex_;
    Entries entries_; // most recently used first
    std::unordered_map<Key, typename Entries::iterator> places_;
};

} // namespace kiln
