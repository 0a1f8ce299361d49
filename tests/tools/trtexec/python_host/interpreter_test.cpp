// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "python_host/interpreter.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "python_host/process.h"
#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder that looks like an environment, with a program in place of its interpreter.
class Interpreters : public testing::Test {
protected:
    void SetUp() override {
        root_ = fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::remove_all(root_);
        for (char const* name : {"KILN_PYTHON", "VIRTUAL_ENV"}) {
            ::unsetenv(name);
        }
        ::setenv("PATH", "/nowhere", 1);
    }
    void TearDown() override {
        ::setenv("PATH", path_.c_str(), 1);
        fs::remove_all(root_);
    }

    std::string script(std::string const& name, std::string const& body) {
        fs::path const file = root_ / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
        fs::permissions(file, fs::perms::owner_all);
        return file;
    }

    fs::path root_;
    std::string const path_ = std::getenv("PATH");
};

constexpr char const* kGood = "echo noise; echo version=3.9.1; echo library=/l.so; echo kiln=yes";

TEST_F(Interpreters, AreAskedForTheirLibrary) {
    std::string const python = script("env/bin/python", kGood);
    ::setenv("VIRTUAL_ENV", (root_ / "env").c_str(), 1);
    Interpreter const found = findInterpreter("/x.so");
    EXPECT_EQ(found.executable, python);
    EXPECT_EQ(found.version, "3.9.1");
    EXPECT_EQ(found.sharedLibrary, "/l.so");
}

TEST_F(Interpreters, AreTakenFromThePathByName) {
    std::string const python = script("bin/python3", kGood);
    ::setenv("PATH", ("/nowhere:" + (root_ / "bin").string()).c_str(), 1);
    EXPECT_EQ(findInterpreter("/x.so").executable, python);
}

TEST_F(Interpreters, GiveWayWhenTheyLackThePackage) {
    script("env/bin/python", "echo kiln=no");
    std::string const own = script("own/bin/python3", kGood);
    ::setenv("VIRTUAL_ENV", (root_ / "env").c_str(), 1);
    EXPECT_EQ(findInterpreter(root_ / "own/lib/python3.11/site-packages/kiln/lib/x.so").executable,
              own);
}

TEST_F(Interpreters, ThatTheUserChoseAreTheOnlyOnes) {
    script("env/bin/python", kGood);
    ::setenv("VIRTUAL_ENV", (root_ / "env").c_str(), 1);
    ::setenv("KILN_PYTHON", "/nowhere/python", 1);
    std::string const text = failureText([] { findInterpreter("/x.so"); });
    EXPECT_THAT(text, HasSubstr("expected an interpreter with the package kiln, found none"));
    EXPECT_THAT(text, HasSubstr("/nowhere/python (KILN_PYTHON) does not run"));
    EXPECT_THAT(text, testing::Not(HasSubstr("VIRTUAL_ENV")));
}

TEST_F(Interpreters, AreListedWithTheirFaults) {
    script("env/bin/python", "echo kiln=no");
    script("bin/python3", "exit 3");
    ::setenv("VIRTUAL_ENV", (root_ / "env").c_str(), 1);
    ::setenv("PATH", (root_ / "bin").c_str(), 1);
    std::string const text = failureText([] { findInterpreter("/x.so"); });
    EXPECT_THAT(text, HasSubstr("(VIRTUAL_ENV) does not have the package kiln"));
    EXPECT_THAT(text, HasSubstr("(PATH) does not run, or is no Python 3"));
}

TEST(CaptureOutput, ReturnsWhatWasPrinted) {
    EXPECT_EQ(captureOutput({"/bin/echo", "a", "b"}), "a b\n");
    EXPECT_EQ(captureOutput({"/bin/false"}), std::nullopt);
    EXPECT_EQ(captureOutput({"/no/such/program"}), std::nullopt);
}

} // namespace
} // namespace kiln::trtexec
