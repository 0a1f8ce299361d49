// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/driver/nvrtc.h"

#include <cstdlib>

#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::AllOf;
using testing::ExitedWithCode;
using testing::HasSubstr;

SourceText kernel(std::string const& body) {
    return {"test.cu",
            "#include \"prelude.cuh\"\nKILN_KERNEL void test(float* to) { " + body + " }\n",
            {}};
}

using GpuNvrtc = test::GpuTest;

TEST_F(GpuNvrtc, CompilesWithTheBackendsHeaders) {
    Bytes const code = compileSource(kernel("to[threadIndex()] = 1.0F;"), "sm_90");
    EXPECT_GT(code.size(), 100U);
    EXPECT_EQ(compileSource(kernel("to[threadIndex()] = 1.0F;"), "sm_90"), code);
    SourceText other = kernel("to[threadIndex()] = KILN_VALUE;");
    other.defines = {{"KILN_VALUE", "2.0F"}};
    EXPECT_NE(compileSource(other, "sm_90"), code);
}

TEST_F(GpuNvrtc, GivesTheCompilersLog) {
    EXPECT_THAT(
        errorOf(ErrorKind::kInternal, [] { compileSource(kernel("to[0] = nonsense;"), "sm_90"); }),
        AllOf(HasSubstr("[cuda] test.cu for sm_90: NVRTC reports error 6:"),
              HasSubstr("nonsense")));
}

TEST_F(GpuNvrtc, NamesAnArchitectureThatItDoesNotKnow) {
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [] { compileSource(kernel(""), "sm_20"); }),
                AllOf(HasSubstr("[cuda] NVRTC does not compile for sm_20: "),
                      HasSubstr("Install another version of it.")));
}

TEST_F(GpuNvrtc, TellsItsVersion) {
    target::LibraryStatus const status = nvrtcStatus();
    EXPECT_EQ(status.name, "NVRTC");
    EXPECT_THAT(status.version, testing::StartsWith("1"));
    EXPECT_NE(status.file, "");
    EXPECT_EQ(status.problem, "");
}

[[noreturn]] void compileWith(char const* library) {
    setenv("KILN_NVRTC", library, 1);
    try {
        compileSource(kernel(""), "sm_90");
    } catch (Error const& error) {
        std::fputs(error.what(), stderr);
    }
    std::exit(0);
}

TEST(NvrtcProblem, IsTold) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(compileWith("/nowhere/libnvrtc.so"), ExitedWithCode(0),
                "\\[cuda\\] NVRTC was not opened, KILN_NVRTC=/nowhere/libnvrtc.so: ");
    EXPECT_EXIT(compileWith("libm.so.6"), ExitedWithCode(0),
                "\\[cuda\\] NVRTC lacks nvrtcVersion; expected one of CUDA 12 or later");
}

} // namespace
} // namespace kiln::targets::cuda
