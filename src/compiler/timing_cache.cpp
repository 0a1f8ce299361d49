// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timing_cache.h"

#include <kiln/version.h>

#include "base/hash.h"

namespace kiln::compiler {
namespace {

// "KLNTIME" and the version of the layout, a digit. The first layout has no version of Kiln.
constexpr uint64_t kMagic = 0x32454d49544e4c4bULL;
constexpr uint64_t kAnyLayout = 0x00ffffffffffffffULL;
constexpr std::size_t kEntryBytes = sizeof(TimingCache::Key) + sizeof(uint64_t) + sizeof(float);

[[noreturn]] void failDamaged(std::string const& expected, std::string const& got) {
    fail(ErrorKind::kCorruptData, "[timing cache] expected {}, got {}. Start with an empty cache.",
         expected, got);
}

std::string ownVersion() {
    return fmt::format("{}.{}.{}", KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH);
}

} // namespace

TimingCache::TimingCache(ByteView bytes) {
    constexpr std::size_t kLeast = 3 * sizeof(uint64_t) + sizeof(uint32_t);
    if (bytes.size() < kLeast) {
        failDamaged("a serialized timing cache", fmt::format("{} bytes", bytes.size()));
    }
    ByteReader tail(bytes.last(sizeof(uint64_t)), "timing cache");
    ByteView const body = bytes.first(bytes.size() - sizeof(uint64_t));
    ByteReader reader(body, "timing cache");
    auto const magic = reader.get<uint64_t>();
    if ((magic & kAnyLayout) != (kMagic & kAnyLayout) || tail.get<uint64_t>() != hashBytes(body)) {
        failDamaged("a serialized timing cache",
                    fmt::format("{} bytes with another mark or hash", bytes.size()));
    }
    std::string const version = magic == kMagic ? reader.getText() : "another layout";
    if (version != ownVersion()) {
        writtenBy_ = version;
        return;
    }
    device_ = reader.getText();
    auto const count = reader.get<uint64_t>();
    if (count > body.size() / kEntryBytes) {
        failDamaged("entries within the file", fmt::format("a count of {}", count));
    }
    for (uint64_t i = 0; i < count; ++i) {
        Key const key = reader.get<Key>();
        auto const tactic = reader.get<uint64_t>();
        entries_[key] = {tactic, reader.get<float>()};
    }
    reader.finish();
}

Bytes TimingCache::serialize() const {
    std::lock_guard const lock(mutex_);
    ByteWriter writer;
    writer.put(kMagic);
    writer.putText(ownVersion());
    writer.putText(device_);
    writer.put(static_cast<uint64_t>(entries_.size()));
    for (auto const& [key, entry] : entries_) {
        writer.put(key);
        writer.put(entry.tactic);
        writer.put(entry.milliseconds);
    }
    Bytes bytes = writer.take();
    ByteWriter tail;
    tail.put(hashBytes(bytes));
    Bytes const hash = tail.take();
    bytes.insert(bytes.end(), hash.begin(), hash.end());
    return bytes;
}

std::optional<TimingCache::Entry> TimingCache::find(Key const& key) const {
    std::lock_guard const lock(mutex_);
    auto const found = entries_.find(key);
    return found == entries_.end() ? std::nullopt : std::optional<Entry>(found->second);
}

void TimingCache::store(Key const& key, Entry const& entry) {
    std::lock_guard const lock(mutex_);
    entries_[key] = entry;
}

void TimingCache::merge(TimingCache const& other) {
    if (&other == this) {
        return;
    }
    std::scoped_lock const lock(mutex_, other.mutex_);
    entries_.insert(other.entries_.begin(), other.entries_.end());
}

void TimingCache::clear() {
    std::lock_guard const lock(mutex_);
    entries_.clear();
}

std::vector<TimingCache::Key> TimingCache::keys() const {
    std::lock_guard const lock(mutex_);
    std::vector<Key> keys;
    for (auto const& entry : entries_) {
        keys.push_back(entry.first);
    }
    return keys;
}

TimingCache::Key TimingCache::keyOf(std::string_view text) {
    return hashBytes128({reinterpret_cast<std::byte const*>(text.data()), text.size()});
}

} // namespace kiln::compiler
