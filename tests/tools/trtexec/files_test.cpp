// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) /
                  testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(char const* name) const { return folder_ / name; }

    fs::path folder_;
};

TEST_F(Files, RoundTrip) {
    std::array<char, 3> const text{'a', 'b', 'c'};
    writeWhole(path("f"), text.data(), text.size());
    std::array<char, 3> back{};
    readWhole(path("f"), "here", back.data(), back.size());
    EXPECT_EQ(back, text);
    EXPECT_FALSE(fs::exists(path("f.part")));
}

TEST_F(Files, ReplaceTheTargetOfALink) {
    writeWhole(path("f"), "old", 3);
    fs::create_symlink("f", path("link"));
    writeWhole(path("link"), "newer", 5);
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(fs::file_size(path("f")), 5U);
}

TEST_F(Files, WriteIntoDevices) {
    writeWhole("/dev/null", "text", 4);
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, TellSizesApart) {
    writeWhole(path("f"), "abc", 3);
    std::array<char, 4> back{};
    EXPECT_EQ(failureText([&] { readWhole(path("f"), "tensor 'x'", back.data(), back.size()); }),
              "[files] tensor 'x': expected 4 bytes, got 3 in '" + path("f") + "'");
}

TEST_F(Files, SayWhyTheyCannotBeOpened) {
    EXPECT_THAT(failureText([&] { requireFile("--onnx", path("none")); }),
                HasSubstr("--onnx: cannot open '" + path("none") + "': No such file"));
    EXPECT_THAT(failureText([&] { requireFile("--onnx", folder_); }),
                HasSubstr("expected a file, got the folder"));
    EXPECT_THAT(failureText([&] { writeWhole(path("no/such"), "a", 1); }),
                HasSubstr("cannot write 1 bytes to"));
}

} // namespace
} // namespace kiln::trtexec
