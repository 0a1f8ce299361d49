// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// kiln::describePlan() distinguishes the reasons that keep a plan from being opened.
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kiln/kiln.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Offsets in the header, from docs/plan-format.md.
constexpr size_t kHeaderBytes = 224;
constexpr size_t kMinorAt = 18;
constexpr size_t kHeaderHashAt = 24;
constexpr size_t kTargetAt = 48;
constexpr size_t kMetadataEntryAt = 64;

template <typename T>
T get(std::string const& bytes, size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

template <typename T>
void put(std::string& bytes, size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Recomputes the hashes of metadata and header.
void rehash(std::string& plan) {
    auto const offset = get<uint64_t>(plan, kMetadataEntryAt + 8);
    auto const bytes = get<uint64_t>(plan, kMetadataEntryAt + 16);
    put<uint64_t>(plan, kMetadataEntryAt + 24, XXH3_64bits(plan.data() + offset, bytes));
    put<uint64_t>(plan, kHeaderHashAt, 0);
    put<uint64_t>(plan, kHeaderHashAt, XXH3_64bits(plan.data(), kHeaderBytes));
}

class DescribePlan : public testing::Test {
protected:
    DescribePlan() : path(testing::TempDir() + "described.plan") {
        Session session;
        ITensor& x = session.input("x", {-1, 4});
        session.range("x", {1, 4}, {2, 4}, {8, 4});
        ILayer* const layer = addScripted(*session.network, script, Style::kV3, {&x});
        layer->setName("custom");
        session.output(*layer->getOutput(0), "y");
        std::unique_ptr<IHostMemory> const built = session.build();
        EXPECT_NE(built, nullptr) << session.log.errors();
        plan.assign(static_cast<char const*>(built->data()), built->size());
    }

    std::string describe() {
        std::ofstream(path, std::ios::binary) << plan;
        std::unique_ptr<IHostMemory> const text(kiln::describePlan(path.c_str(), log));
        return text == nullptr ? ""
                               : std::string(static_cast<char const*>(text->data()), text->size());
    }

    Script script;
    RecordingLogger log;
    std::string path;
    std::string plan;
};

TEST_F(DescribePlan, MissingPluginsAreNamed) {
    EXPECT_THAT(describe(),
                AllOf(HasSubstr(R"("kind": "plugin")"), HasSubstr("Scripted (version 1)"),
                      HasSubstr(R"("layer": "custom")"), HasSubstr(R"("registered": false)")));
}

TEST_F(DescribePlan, OtherVersionsAreTold) {
    put<uint16_t>(plan, kMinorAt, 99);
    rehash(plan);
    EXPECT_THAT(describe(),
                AllOf(HasSubstr(R"("kind": "version")"), HasSubstr("written by Kiln 0.99."),
                      HasSubstr(R"("kiln_version": "0.99.)"), Not(HasSubstr("layers"))));
}

TEST_F(DescribePlan, OtherInstructionSetsAreTold) {
    size_t const at = plan.find("x86-64");
    if (at == std::string::npos) {
        GTEST_SKIP() << "this is no x86-64";
    }
    plan[at + 4] = '9';
    rehash(plan);
    EXPECT_THAT(describe(), AllOf(HasSubstr(R"("kind": "instruction set")"),
                                  HasSubstr("the plan needs x86-94"), HasSubstr("layers")));
}

TEST_F(DescribePlan, TargetsThatThisBuildLacksAreTold) {
    put<char>(plan, kTargetAt, 'x');
    rehash(plan);
    EXPECT_THAT(describe(), AllOf(HasSubstr(R"("kind": "target")"), HasSubstr("layers")));
}

TEST_F(DescribePlan, DamageIsToldOnce) {
    plan[get<uint64_t>(plan, kMetadataEntryAt + 8) + 8] ^= 1;
    std::string const text = describe();
    EXPECT_THAT(text, AllOf(HasSubstr(R"("kind": "damaged")"), HasSubstr("section 'metadata'"),
                            HasSubstr("its hash does not match")));
    EXPECT_EQ(text.find(R"("kind")"), text.rfind(R"("kind")"));
}

TEST_F(DescribePlan, FilesThatAreNoPlanAreTold) {
    plan = "text";
    EXPECT_THAT(describe(), AllOf(HasSubstr(R"("kind": "not a plan")"),
                                  HasSubstr("expected the magic number")));
}

TEST_F(DescribePlan, AbsentFilesGiveNothing) {
    EXPECT_EQ(kiln::describePlan("/no/such.plan", log), nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("/no/such.plan"));
}

} // namespace
} // namespace kiln::test
