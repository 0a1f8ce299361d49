// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timing_cache.h"

#include <gmock/gmock.h>
#include <kiln/version.h>

#include "base/error.h"
#include "base/hash.h"

namespace kiln::compiler {
namespace {

using ::testing::HasSubstr;

std::string refusal(Bytes const& bytes) {
    try {
        TimingCache const cache{ByteView(bytes)};
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kCorruptData);
        return error.what();
    }
    return "nothing was thrown";
}

TEST(TimingCache, KeepsEntriesThroughBytes) {
    TimingCache cache("cpu test");
    cache.store("a", {7, 0.5F});
    cache.store("b", {UINT64_MAX, 2.0F});
    Bytes const bytes = cache.serialize();
    TimingCache const again{ByteView(bytes)};
    EXPECT_EQ(again.device(), "cpu test");
    ASSERT_TRUE(again.find("a").has_value());
    EXPECT_EQ(again.find("a")->tactic, 7U);
    EXPECT_EQ(again.find("b")->milliseconds, 2.0F);
    EXPECT_FALSE(again.find("c").has_value());
    EXPECT_EQ(again.keys().size(), 2U);
    EXPECT_EQ(again.serialize(), bytes);
}

TEST(TimingCache, KeepsCodeOnce) {
    Bytes const code(1000, std::byte{7});
    TimingCache cache("cpu test");
    cache.store("a", {1, 1.0F, code});
    cache.store("b", {1, 2.0F, code});
    cache.store("c", {2, 2.0F, {}});
    Bytes const bytes = cache.serialize();
    EXPECT_LT(bytes.size(), 2 * code.size());
    TimingCache const again{ByteView(bytes)};
    EXPECT_EQ(again.find("a")->code, code);
    EXPECT_EQ(again.find("b")->code, code);
    EXPECT_TRUE(again.find("c")->code.empty());
    EXPECT_EQ(again.serialize(), bytes);
}

TEST(TimingCache, MergingKeepsItsOwn) {
    TimingCache cache("cpu test");
    TimingCache other("cpu test");
    cache.store("a", {1, 1.0F});
    other.store("a", {2, 2.0F});
    other.store("b", {3, 3.0F});
    cache.merge(other);
    cache.merge(cache);
    EXPECT_EQ(cache.find("a")->tactic, 1U);
    EXPECT_EQ(cache.find("b")->tactic, 3U);
    cache.clear();
    EXPECT_TRUE(cache.keys().empty());
}

/// The bytes of a cache with one entry, as another version of Kiln would write them.
Bytes writtenBy(std::string const& version) {
    TimingCache cache("cpu test");
    cache.store("a", {7, 0.5F});
    Bytes const own = cache.serialize();
    ByteReader reader(ByteView(own).subspan(sizeof(uint64_t)), "timing cache");
    std::string const ownVersion = reader.getText();
    std::size_t const rest = sizeof(uint64_t) + sizeof(uint32_t) + ownVersion.size();
    ByteWriter writer;
    ByteReader magic{ByteView(own), "timing cache"};
    writer.put(magic.get<uint64_t>());
    writer.putText(version);
    Bytes bytes = writer.take();
    bytes.insert(bytes.end(), own.begin() + static_cast<std::ptrdiff_t>(rest),
                 own.end() - sizeof(uint64_t));
    ByteWriter tail;
    tail.put(hashBytes(bytes));
    Bytes const hash = tail.take();
    bytes.insert(bytes.end(), hash.begin(), hash.end());
    return bytes;
}

TEST(TimingCache, EntriesOfAnotherVersionAreLeftOut) {
    std::string const own =
        fmt::format("{}.{}.{}", KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH);
    TimingCache const same{ByteView(writtenBy(own))};
    EXPECT_EQ(same.keys().size(), 1U);
    EXPECT_EQ(same.writtenBy(), "");
    TimingCache const other{ByteView(writtenBy("99.0.1"))};
    EXPECT_TRUE(other.keys().empty());
    EXPECT_EQ(other.writtenBy(), "99.0.1");
}

TEST(TimingCache, EntriesOfAnotherLayoutAreLeftOut) {
    ByteWriter writer;
    writer.put(uint64_t{0x31454d49544e4c4bULL}); // "KLNTIME1"
    writer.putText("cpu test");
    writer.put(uint64_t{0});
    Bytes bytes = writer.take();
    ByteWriter tail;
    tail.put(hashBytes(bytes));
    Bytes const hash = tail.take();
    bytes.insert(bytes.end(), hash.begin(), hash.end());
    TimingCache const cache{ByteView(bytes)};
    EXPECT_TRUE(cache.keys().empty());
    EXPECT_EQ(cache.writtenBy(), "another layout");
}

TEST(TimingCache, DamageIsRefused) {
    TimingCache cache("cpu test");
    cache.store("a", {7, 0.5F});
    Bytes const bytes = cache.serialize();
    EXPECT_THAT(refusal({}), HasSubstr("[timing cache] expected a serialized timing cache, got 0"));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        Bytes damaged = bytes;
        damaged[at] ^= std::byte{0x10};
        EXPECT_THAT(refusal(damaged), HasSubstr("Start with an empty cache")) << at;
    }
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_THAT(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
                    HasSubstr("[timing cache] expected"));
    }
}

} // namespace
} // namespace kiln::compiler
