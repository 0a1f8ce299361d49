// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timing_cache.h"

#include <kiln/version.h>

#include "base/hash.h"

namespace kiln::compiler {
namespace {

// "KLNTIME" and the version of the layout, a digit. The first layout has no version of Kiln.
constexpr uint64_t kMagic = 0x33454d49544e4c4bULL;
constexpr uint64_t kAnyLayout = 0x00ffffffffffffffULL;
constexpr std::size_t kEntryBytes =
    sizeof(TimingCache::Key) + sizeof(uint64_t) + sizeof(float) + sizeof(uint32_t);

[[noreturn]] void failDamaged(std::string const& expected, std::string const& got) {
    fail(ErrorKind::kCorruptData, "[timing cache] expected {}, got {}. Start with an empty cache.",
         expected, got);
}

/// Equal layers of different shapes share their code, which is written once.
class CodeTable {
public:
    /// The number of the code; 0: there is none.
    uint32_t numberOf(Bytes const& code) {
        if (code.empty()) {
            return 0;
        }
        auto const next = static_cast<uint32_t>(codes_.size() + 1);
        auto const [found, isNew] = numbers_.emplace(code, next);
        if (isNew) {
            codes_.push_back(&found->first);
        }
        return found->second;
    }

    void write(ByteWriter& writer) const {
        writer.put(static_cast<uint64_t>(codes_.size()));
        for (Bytes const* code : codes_) {
            writer.putText({reinterpret_cast<char const*>(code->data()), code->size()});
        }
    }

private:
    std::map<Bytes, uint32_t> numbers_;
    std::vector<Bytes const*> codes_;
};

std::vector<Bytes> readCodes(ByteReader& reader) {
    std::vector<Bytes> codes{Bytes{}};
    auto const count = reader.get<uint64_t>();
    for (uint64_t i = 0; i < count; ++i) { // ends where the file ends
        ByteView const code = reader.take(reader.get<uint32_t>());
        codes.emplace_back(code.begin(), code.end());
    }
    return codes;
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
    std::vector<Bytes> const codes = readCodes(reader);
    auto const count = reader.get<uint64_t>();
    if (count > body.size() / kEntryBytes) {
        failDamaged("entries within the file", fmt::format("a count of {}", count));
    }
    for (uint64_t i = 0; i < count; ++i) {
        Key const key = reader.get<Key>();
        auto const tactic = reader.get<uint64_t>();
        auto const milliseconds = reader.get<float>();
        auto const code = reader.get<uint32_t>();
        if (code >= codes.size()) {
            failDamaged(fmt::format("the number of one of {} codes", codes.size() - 1),
                        fmt::format("{}", code));
        }
        entries_[key] = {tactic, milliseconds, codes[code]};
    }
    reader.finish();
}

Bytes TimingCache::serialize() const {
    std::lock_guard const lock(mutex_);
    ByteWriter writer;
    writer.put(kMagic);
    writer.putText(ownVersion());
    writer.putText(device_);
    CodeTable codes;
    for (auto const& [key, entry] : entries_) {
        codes.numberOf(entry.code);
    }
    codes.write(writer);
    writer.put(static_cast<uint64_t>(entries_.size()));
    for (auto const& [key, entry] : entries_) {
        writer.put(key);
        writer.put(entry.tactic);
        writer.put(entry.milliseconds);
        writer.put(codes.numberOf(entry.code));
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
