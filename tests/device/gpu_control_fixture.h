// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of loops and branches on one target. Those of cuda have names that start with Gpu; they are
// skipped without a GPU, real or emulated.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "device/queued_device_fixture.h"
#include "support/gpu_problem.h"

namespace kiln::test {

class ControlTest : public ::testing::TestWithParam<char const*> {
protected:
    void SetUp() override {
        QueuedDevice::instance(); // registers the target "queued"
        if (std::string const problem = target() == "cuda" ? gpuProblem() : ""; !problem.empty()) {
            GTEST_SKIP() << problem;
        }
    }
    static std::string target() { return GetParam(); }
};

} // namespace kiln::test
