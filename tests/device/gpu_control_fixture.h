// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of loops and branches on one target. Those of cuda have names that start with Gpu; they are
// skipped without a GPU, real or emulated.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "device/queued_device_fixture.h"
#include "target/backend_registry.h"

namespace kiln::test {

class ControlTest : public ::testing::TestWithParam<char const*> {
protected:
    void SetUp() override {
        QueuedDevice::instance(); // registers the target "queued"
        if (target() != "cuda") {
            return;
        }
        try {
            if (target::BackendRegistry::instance().open("cuda").device() == nullptr) {
                GTEST_SKIP() << "there is no GPU";
            }
        } catch (Error const& error) {
            GTEST_SKIP() << error.what();
        }
    }
    static std::string target() { return GetParam(); }
};

} // namespace kiln::test
