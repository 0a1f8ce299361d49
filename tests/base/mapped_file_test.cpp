// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::test {
namespace {

TEST(MappedFile, ShowsTheBytes) {
    std::string const path = testing::TempDir() + "kiln_mapped_file_test";
    std::ofstream(path) << "kiln";
    {
        MappedFile const file(path);
        ASSERT_EQ(file.bytes().size(), 4U);
        EXPECT_EQ(static_cast<char>(file.bytes()[3]), 'n');
    }
    std::ofstream(path, std::ios::trunc).flush();
    EXPECT_EQ(MappedFile(path).bytes().size(), 0U);
    std::remove(path.c_str());
}

TEST(MappedFile, NamesThePathAndTheReason) {
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [] { MappedFile("/nowhere/x.plan"); }),
        testing::AllOf(testing::HasSubstr("/nowhere/x.plan"), testing::HasSubstr("No such file")));
}

} // namespace
} // namespace kiln::test
