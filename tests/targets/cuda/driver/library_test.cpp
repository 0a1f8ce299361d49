// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/driver/library.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/library_folders.h"

namespace kiln::targets::cuda {
namespace {

using testing::HasSubstr;

constexpr char const* kVariable = "KILN_TEST_LIBRARY";
constexpr char const* kMath[] = {"libm.so.6"};
constexpr char const* kNobody[] = {"libnobody.so.3", "libnobody.so"};

class LibraryTest : public testing::Test {
protected:
    void TearDown() override { unsetenv(kVariable); }
};

TEST_F(LibraryTest, IsFoundInTheLoadersPath) {
    Library const library({"maths", kVariable, kMath, "Count"});
    EXPECT_EQ(library.problem(), "");
    EXPECT_NE(library.symbol("cos"), nullptr);
    EXPECT_EQ(library.symbol("nobody"), nullptr);
    EXPECT_THAT(library.file(), HasSubstr("libm.so.6"));
}

TEST_F(LibraryTest, SaysWhatIsMissing) {
    Library const library({"nobody", kVariable, kNobody, "Install somebody"});
    EXPECT_EQ(library.problem(), "nobody (libnobody.so.3) was not found. Install somebody, or name "
                                 "its file in KILN_TEST_LIBRARY");
    EXPECT_EQ(library.symbol("cos"), nullptr);
    EXPECT_EQ(library.file(), "");
}

TEST_F(LibraryTest, IsWhatTheVariableNames) {
    setenv(kVariable, "libm.so.6", 1);
    EXPECT_NE(Library({"nobody", kVariable, kNobody, "Install somebody"}).symbol("cos"), nullptr);
    setenv(kVariable, "/nowhere/libm.so", 1);
    EXPECT_THAT(
        Library({"maths", kVariable, kMath, "Count"}).problem(),
        testing::AllOf(HasSubstr("maths was not opened, KILN_TEST_LIBRARY=/nowhere/libm.so: "),
                       HasSubstr("Correct the variable, or unset it")));
    setenv(kVariable, "", 1); // means the same as unset
    EXPECT_EQ(Library({"maths", kVariable, kMath, "Count"}).problem(), "");
}

TEST_F(LibraryTest, IsFoundInPackagesOfAnAddedFolder) {
    Library const math({"maths", kVariable, kMath, "Count"});
    namespace fs = std::filesystem;
    fs::path const packages = fs::path(testing::TempDir()) / "kiln-packages";
    fs::create_directories(packages / "nvidia" / "nobody" / "lib");
    fs::copy_file(math.file(), packages / "nvidia" / "nobody" / "lib" / "libnobody.so",
                  fs::copy_options::overwrite_existing);
    addLibraryFolder(packages.c_str());
    Library const found({"nobody", kVariable, kNobody, "Install somebody"});
    EXPECT_EQ(found.problem(), "");
    EXPECT_THAT(found.file(), HasSubstr("nvidia/nobody/lib/libnobody.so"));
    fs::remove_all(packages);
}

} // namespace
} // namespace kiln::targets::cuda
