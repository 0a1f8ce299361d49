// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "base/error.h"
#include "target/backend_registry.h"

namespace kiln::test {

/// A test that needs a GPU, real or emulated; skipped without one.
class PresentGpuTest : public testing::Test {
protected:
    void SetUp() override {
        try {
            static_cast<void>(target::BackendRegistry::instance().open("cuda").device());
        } catch (Error const& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

} // namespace kiln::test
