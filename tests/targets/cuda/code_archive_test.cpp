// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/code_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::HasSubstr;

/// An archive as compileFor() writes it.
Bytes archive(std::vector<std::pair<std::string, std::string>> const& entries) {
    ByteWriter writer;
    writer.put(static_cast<uint32_t>(entries.size()));
    for (auto const& [architecture, code] : entries) {
        writer.putText(architecture);
        writer.putText(code);
    }
    return writer.take();
}

std::string chosen(char const* gpu, Bytes const& code) {
    ByteView const found = codeFor(*parseGpuArchitecture(gpu), code).bytes;
    return {reinterpret_cast<char const*>(found.data()), found.size()};
}

TEST(CodeArchive, GivesTheNewestCodeThatRuns) {
    Bytes const code = archive({{"sm_80", "eighty"}, {"sm_89", "ada"}, {"sm_90", "hopper"}});
    EXPECT_EQ(chosen("sm_80", code), "eighty");
    EXPECT_EQ(chosen("sm_86", code), "eighty");
    EXPECT_EQ(chosen("sm_89", code), "ada");
    EXPECT_EQ(chosen("sm_90", code), "hopper");
}

TEST(CodeArchive, GivesPtxWhereNoMachineCodeRuns) {
    Bytes const code =
        archive({{"compute_80", "ptx"}, {"compute_90", "newer"}, {"sm_90", "hopper"}});
    EXPECT_EQ(chosen("sm_86", code), "ptx");
    EXPECT_EQ(chosen("sm_90", code), "hopper");
    EXPECT_EQ(chosen("sm_120", code), "newer");
    EXPECT_EQ(codeFor(*parseGpuArchitecture("sm_89"), code).architecture.text(), "sm_80");
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [&] { chosen("sm_75", code); }),
                HasSubstr("expected code for sm_75, got code for compute_80, compute_90, sm_90"));
}

TEST(CodeArchive, NamesWhatItHasForAnotherGpu) {
    Bytes const code = archive({{"sm_80", "eighty"}, {"sm_90", "hopper"}});
    EXPECT_EQ(errorOf(ErrorKind::kUnsupported, [&] { chosen("sm_75", code); }),
              "[cuda] expected code for sm_75, got code for sm_80, sm_90. Build the plan for this "
              "GPU.");
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [&] { chosen("sm_100", code); }),
                HasSubstr("expected code for sm_100"));
}

TEST(CodeArchive, RefusesDamagedBytes) {
    Bytes const code = archive({{"sm_80", "eighty"}, {"sm_90", "hopper"}});
    for (std::size_t length = 0; length < code.size(); ++length) {
        Bytes const shorter(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { chosen("sm_90", shorter); }),
                    HasSubstr("code of a kernel"));
    }
    Bytes longer = code;
    longer.push_back(std::byte{0});
    errorOf(ErrorKind::kCorruptData, [&] { chosen("sm_90", longer); });
    Bytes many = code;
    many[0] = std::byte{0xff};
    many[3] = std::byte{0xff};
    errorOf(ErrorKind::kCorruptData, [&] { chosen("sm_90", many); });
}

TEST(CodeArchive, IgnoresArchitecturesThatAreNone) {
    EXPECT_EQ(chosen("sm_90", archive({{"hopper", "x"}, {"sm_90", "right"}})), "right");
}

} // namespace
} // namespace kiln::targets::cuda
