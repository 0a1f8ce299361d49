// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace kiln::compiler {

/// Timings of builds, by operation, shapes, types, formats and device, and the code of the kernels
/// that were chosen. Thread-safe.
class TimingCache {
public:
    using Key = std::array<uint8_t, 16>;

    struct Entry {
        uint64_t tactic = 0; ///< of a plugin; for a layer, the hash of the kernel's name
        float milliseconds = 0.0F;
        Bytes code = {}; ///< of the kernel, see Backend::keepsCode(); empty: it is compiled again
    };

    /// An empty cache for a device, such as "cpu x86-64-v4".
    explicit TimingCache(std::string device) : device_(std::move(device)) {}
    /// Reads what serialize() wrote; throws kCorruptData for anything else. Leaves out the entries
    /// of another version of Kiln, because its kernels differ: see writtenBy().
    explicit TimingCache(ByteView bytes);

    std::string const& device() const noexcept { return device_; }
    /// The version of Kiln whose entries were left out, for example "0.0.9"; empty if none were. If
    /// set, device() is empty.
    std::string const& writtenBy() const noexcept { return writtenBy_; }
    Bytes serialize() const;

    std::optional<Entry> find(std::string_view text) const { return find(keyOf(text)); }
    std::optional<Entry> find(Key const& key) const;
    void store(std::string_view text, Entry const& entry) { store(keyOf(text), entry); }
    void store(Key const& key, Entry const& entry);

    /// Adds the entries whose keys this cache does not have.
    void merge(TimingCache const& other);
    void clear();
    std::vector<Key> keys() const;

private:
    static Key keyOf(std::string_view text);

    std::string device_;
    std::string writtenBy_;
    mutable std::mutex mutex_;
    std::map<Key, Entry> entries_;
};

} // namespace kiln::compiler
