// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/driver/driver.h"

#include <cstdlib>

#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::ExitedWithCode;
using testing::HasSubstr;

/// Prints why there is no driver. Runs in a new process, where `variable` has this value.
[[noreturn]] void tellProblem(char const* variable, char const* value) {
    setenv(variable, value, 1);
    std::fputs(Driver::problem().c_str(), stderr);
    std::exit(0);
}

class DriverProblem : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DriverProblem, NamesTheFileThatIsNoLibrary) {
    EXPECT_EXIT(tellProblem("KILN_CUDA_DRIVER", "/nowhere/libcuda.so.1"), ExitedWithCode(0),
                "the NVIDIA driver was not opened, KILN_CUDA_DRIVER=/nowhere/libcuda.so.1: "
                ".*Correct the variable, or unset it");
}

TEST_F(DriverProblem, NamesTheFunctionThatAnOldOneLacks) {
    EXPECT_EXIT(tellProblem("KILN_CUDA_DRIVER", "libm.so.6"), ExitedWithCode(0),
                "the NVIDIA driver lacks cuInit; expected one of CUDA 12 or later");
}

// Not derived from GpuTest, which opens the driver: the new process must open it itself, with its
// own variables.
class GpuDriverProblem : public DriverProblem {
protected:
    void SetUp() override {
        DriverProblem::SetUp();
        char const* const driver = std::getenv("KILN_CUDA_DRIVER");
        if (driver == nullptr || std::string(driver).find("emulated") == std::string::npos) {
            GTEST_SKIP() << "only the emulated GPU fails when it is told to";
        }
    }
};

TEST_F(GpuDriverProblem, SaysThatThereIsNoGpu) {
    EXPECT_EXIT(tellProblem("KILN_EMULATION_DEVICES", "0"), ExitedWithCode(0),
                "the NVIDIA driver finds no GPU; look at CUDA_VISIBLE_DEVICES");
}

TEST_F(GpuDriverProblem, SaysThatTheDriverDoesNotStart) {
    EXPECT_EXIT(tellProblem("KILN_EMULATION_START", "3"), ExitedWithCode(0),
                "the NVIDIA driver does not start: initialization error \\(3\\)");
}

using GpuDriver = test::GpuTest;

TEST_F(GpuDriver, GivesResultsInItsOwnWords) {
    EXPECT_EQ(textOf(CUDA_ERROR_OUT_OF_MEMORY), "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
    EXPECT_EQ(textOf(CUresult{4242}), "CUDA error 4242");
    EXPECT_NE(Driver::file(), "");
}

TEST_F(GpuDriver, ThrowsWhatACallReports) {
    check(CUDA_SUCCESS, "breathe");
    EXPECT_EQ(errorOf(ErrorKind::kDevice, [] { check(CUDA_ERROR_INVALID_VALUE, "dance"); }),
              "[cuda] dance: expected success, got CUDA_ERROR_INVALID_VALUE (invalid argument).");
    EXPECT_THAT(errorOf(ErrorKind::kOutOfMemory, [] { check(CUDA_ERROR_OUT_OF_MEMORY, "eat"); }),
                HasSubstr("[cuda] eat: expected success, got CUDA_ERROR_OUT_OF_MEMORY"));
    for (CUresult const lost : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED}) {
        EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { check(lost, "wait"); }),
                    testing::AllOf(HasSubstr("[cuda] wait: a kernel that ran before failed with"),
                                   HasSubstr("run it again with KILN_SYNC=1")));
    }
}

} // namespace
} // namespace kiln::targets::cuda
