// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "support/gpu_problem.h"

namespace kiln::test {

/// A test that needs a GPU, real or emulated; skipped without one.
class PresentGpuTest : public testing::Test {
protected:
    void SetUp() override {
        if (std::string const problem = gpuProblem(); !problem.empty()) {
            GTEST_SKIP() << problem;
        }
    }
};

} // namespace kiln::test
