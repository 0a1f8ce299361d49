// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged files: cut, too long, with flipped bits, of another version.
#include "plan/reader.h"

#include <cstdlib>
#include <cstring>

#include <gmock/gmock.h>

#include "base/without_code.h"
#include "kiln/version.h"
#include "plan/plan_fixture.h"
#include "plan/writer.h"

namespace kiln::plan::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Kind and message of the error that read() throws.
struct Outcome {
    bool failed = false;
    ErrorKind kind{};
    std::string message;
};

Outcome tryRead(ByteView plan, bool verifyWeights = false) {
    try {
        read(plan, verifyWeights);
    } catch (Error const& error) {
        return {true, error.kind(), test::withoutCode(error.what())};
    }
    return {};
}

template <typename Change>
Bytes withHeader(Bytes plan, Change change) {
    HeaderBlock block{};
    std::memcpy(&block, plan.data(), sizeof(block));
    change(block);
    std::memcpy(plan.data(), &block, sizeof(block));
    rehash(plan);
    return plan;
}

Bytes flipped(Bytes plan, std::size_t bit) {
    plan[bit / 8] ^= std::byte{1} << (bit % 8);
    return plan;
}

TEST(PlanReader, RefusesAPlanCutAtAnyByte) {
    Bytes const plan = write(smallDocument());
    for (std::size_t length = 0; length < plan.size(); ++length) {
        Bytes const cut(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(length));
        Outcome const outcome = tryRead(cut);
        ASSERT_TRUE(outcome.failed) << length;
        EXPECT_EQ(outcome.kind, ErrorKind::kCorruptData);
        EXPECT_THAT(outcome.message, StartsWith("[plan] "));
        EXPECT_THROW(checkSections(cut), Error);
    }
}

TEST(PlanReader, RefusesARichPlanCutAtEvery100thByte) {
    Bytes const plan = write(richDocument());
    for (std::size_t length = 0; length < plan.size(); length += 100) {
        EXPECT_TRUE(tryRead(ByteView(plan).first(length)).failed) << length;
    }
}

TEST(PlanReader, NamesTheSectionThatIsCut) {
    Bytes const plan = write(smallDocument());
    SectionEntry const weights = sectionOf(plan, SectionKind::kWeights);
    EXPECT_EQ(readError(ByteView(plan).first(plan.size() - 1)),
              fmt::format("[plan] section 'weights', byte {}: length 16 passes the end of the file "
                          "({}). Copy the file again.",
                          weights.offset, plan.size() - 1));
    EXPECT_EQ(readError(ByteView(plan).first(40)),
              "[plan] header: length 64 passes the end of the file (40). Copy the file again.");
    EXPECT_EQ(readError(ByteView(plan).first(100)),
              "[plan] header: length 224 passes the end of the file (100). Copy the file again.");
}

TEST(PlanReader, RefusesWhatIsNoPlan) {
    std::string const text = "ftrt: this is a plan of another engine, long enough for a header";
    EXPECT_THAT(readError(std::as_bytes(std::span(text))),
                AllOf(StartsWith("[plan] header: expected the magic number of a Kiln plan"),
                      EndsWith("Give a plan that Kiln built, and copy it as binary data.")));
    EXPECT_THAT(readError({}), HasSubstr("got 0 bytes"));
    EXPECT_FALSE(looksLikePlan({}));
    EXPECT_FALSE(looksLikePlan(std::as_bytes(std::span(text))));
    EXPECT_TRUE(looksLikePlan(write(smallDocument())));
}

TEST(PlanReader, RefusesBytesBehindThePlan) {
    Bytes plan = write(smallDocument());
    std::size_t const length = plan.size();
    plan.push_back(std::byte{0});
    EXPECT_EQ(
        readError(plan),
        fmt::format("[plan] expected a file of {} bytes, which end with its last section, got "
                    "{} (the header says {}). Copy the file again.",
                    length, length + 1, length));
}

TEST(PlanReader, FindsEveryFlippedBitOutsideTheWeights) {
    Bytes const plan = write(smallDocument());
    std::size_t const weights = sectionOf(plan, SectionKind::kWeights).offset;
    for (std::size_t bit = 0; bit < weights * 8; ++bit) {
        Outcome const outcome = tryRead(flipped(plan, bit));
        ASSERT_TRUE(outcome.failed) << "bit " << bit;
        ASSERT_EQ(outcome.kind, ErrorKind::kCorruptData) << outcome.message;
    }
}

TEST(PlanReader, NamesTheSectionAndTheBytesThatAreDamaged) {
    Bytes const plan = write(smallDocument());
    EXPECT_THAT(readError(flipped(plan, 20 * 8)),
                StartsWith("[plan] header, bytes 0 to 223: expected hash "));
    for (SectionKind const kind :
         {SectionKind::kMetadata, SectionKind::kCode, SectionKind::kStates}) {
        SectionEntry const entry = sectionOf(plan, kind);
        EXPECT_THAT(readError(flipped(plan, entry.offset * 8)),
                    StartsWith(fmt::format("[plan] section '{}', bytes {} to {}: expected hash ",
                                           sectionName(kind), entry.offset,
                                           entry.offset + entry.bytes - 1)));
    }
    SectionEntry const code = sectionOf(plan, SectionKind::kCode);
    EXPECT_THAT(readError(flipped(plan, (code.offset + code.bytes) * 8)),
                HasSubstr("expected zeros between two sections"));
}

TEST(PlanReader, NamesTheLibrariesThatAreDamaged) {
    Bytes const plan = write(richDocument());
    SectionEntry const entry = sectionOf(plan, SectionKind::kLibraries);
    EXPECT_EQ(entry.bytes, 101U); // libraries of 70 and 1, a source of 30
    EXPECT_THAT(readError(flipped(plan, (entry.offset + 70) * 8)),
                StartsWith(fmt::format("[plan] section 'libraries', bytes {} to {}: expected hash ",
                                       entry.offset, entry.offset + 100)));
}

TEST(PlanReader, WeightsAreHashedOnRequestOnly) {
    Bytes const plan = write(smallDocument());
    Bytes const damaged = flipped(plan, (plan.size() - 1) * 8);
    EXPECT_FALSE(tryRead(damaged).failed);
    EXPECT_THAT(tryRead(damaged, true).message, StartsWith("[plan] section 'weights', bytes "));
    ::setenv("KILN_VERIFY", "1", 1);
    EXPECT_THAT(tryRead(damaged).message, StartsWith("[plan] section 'weights', bytes "));
    EXPECT_FALSE(tryRead(plan).failed);
    ::unsetenv("KILN_VERIFY");
}

TEST(PlanReader, CheckSectionsFindsEachFlippedBitOfTheWeights) {
    Bytes const plan = write(richDocument());
    SectionEntry const weights = sectionOf(plan, SectionKind::kWeights);
    for (std::size_t bit = weights.offset * 8; bit < plan.size() * 8; ++bit) {
        std::vector<SectionInfo> const sections = checkSections(flipped(plan, bit));
        ASSERT_EQ(sections.size(), 5U);
        EXPECT_TRUE(sections[0].intact && sections[1].intact && sections[2].intact);
        EXPECT_TRUE(sections[3].intact);
        ASSERT_FALSE(sections[4].intact);
        EXPECT_EQ(sections[4].name, "weights");
        EXPECT_EQ(sections[4].offset, weights.offset);
        EXPECT_EQ(sections[4].bytes, weights.bytes);
    }
}

TEST(PlanReader, RefusesAnotherVersionWithBothNumbers) {
    Bytes const plan = write(smallDocument());
    Bytes const minor =
        withHeader(plan, [](HeaderBlock& block) { block.file.kilnMinor = KILN_VERSION_MINOR + 1; });
    Outcome const outcome = tryRead(minor);
    EXPECT_EQ(outcome.kind, ErrorKind::kUnsupported);
    EXPECT_EQ(outcome.message,
              fmt::format("[plan] expected a plan written by Kiln {}.{}, got one written by Kiln "
                          "{}.{}.{}. Build it again with this version, or open it with that one.",
                          KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_MAJOR,
                          KILN_VERSION_MINOR + 1, KILN_VERSION_PATCH));
    Bytes const major =
        withHeader(plan, [](HeaderBlock& block) { block.file.kilnMajor = KILN_VERSION_MAJOR + 3; });
    EXPECT_EQ(tryRead(major).kind, ErrorKind::kUnsupported);
    Bytes const format =
        withHeader(plan, [](HeaderBlock& block) { block.file.formatVersion = kFormatVersion + 2; });
    EXPECT_EQ(tryRead(format).kind, ErrorKind::kUnsupported);
    EXPECT_THAT(tryRead(format).message,
                HasSubstr(fmt::format("expected plan format {}, got format {}", kFormatVersion,
                                      kFormatVersion + 2)));
}

TEST(PlanReader, OpensVersionCompatiblePlansOfEarlierVersionsOnly) {
    static_assert(KILN_VERSION_MINOR > 0);
    Document document = smallDocument();
    EXPECT_FALSE(read(write(smallDocument())).versionCompatible);
    document.versionCompatible = true;
    Bytes const plan = write(std::move(document));
    EXPECT_TRUE(read(plan).versionCompatible);
    Bytes const earlier =
        withHeader(plan, [](HeaderBlock& block) { block.file.kilnMinor = KILN_VERSION_MINOR - 1; });
    EXPECT_TRUE(read(earlier).versionCompatible);
    auto const errorOf = [&](auto change) { return readError(withHeader(earlier, change)); };
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.flags = 0; }),
                HasSubstr("expected a plan written by Kiln"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.kilnMinor = KILN_VERSION_MINOR + 1; }),
                HasSubstr("expected a plan written by Kiln"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.kilnMajor = KILN_VERSION_MAJOR + 1; }),
                HasSubstr("expected a plan written by Kiln"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.formatVersion = kOldestCompatibleFormat - 1; }),
                HasSubstr("expected plan format"));
}

TEST(PlanReader, OpensAnotherPatchLevel) {
    Bytes const plan =
        withHeader(write(smallDocument()), [](HeaderBlock& block) { block.file.kilnPatch = 41; });
    EXPECT_EQ(read(plan).kilnVersion,
              fmt::format("{}.{}.41", KILN_VERSION_MAJOR, KILN_VERSION_MINOR));
}

TEST(PlanReader, RefusesHeadersThatLieBehindTheirHash) {
    Bytes const plan = write(smallDocument());
    auto const errorOf = [&](auto change) { return readError(withHeader(plan, change)); };
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.headerBytes = 5000; }),
                HasSubstr("expected a length of 64 to 4096, got 5000"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.sectionCount = 4; }),
                HasSubstr("224 bytes and 5 sections, got 224 and 4"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.flags = 3; }),
                HasSubstr("expected 0 in its reserved fields, got 2 and 0"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.target.fill('x'); }),
                HasSubstr("expected a word that names the target"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.target = {}; }),
                HasSubstr("expected a word that names the target"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.target = {'c', '\0', 'u'}; }),
                HasSubstr("expected a word that names the target"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.file.totalBytes += 64; }),
                HasSubstr("expected a file of"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.sections[1].offset = 64; }),
                HasSubstr("[plan] header, section 2: expected 'code' at byte"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.sections[2].kind = SectionKind::kWeights; }),
                HasSubstr("expected 'states' at byte"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.sections[4].bytes = ~uint64_t{0}; }),
                HasSubstr("length 18446744073709551615 passes the end of the file"));
    EXPECT_THAT(errorOf([](HeaderBlock& b) { b.sections[0].bytes = ~uint64_t{0} - 190; }),
                HasSubstr("passes the end of the file"));
}

} // namespace
} // namespace kiln::plan::testing
