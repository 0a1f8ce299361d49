// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/backend_registry.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::target {
namespace {

using test::errorOf;
using testing::Contains;
using testing::HasSubstr;

TEST(BackendRegistry, TheSameTextGivesTheSameBackend) {
    BackendRegistry& registry = BackendRegistry::instance();
    EXPECT_THAT(registry.names(), Contains("cpu"));
    EXPECT_EQ(&registry.open("cpu"), &registry.open("cpu"));
    EXPECT_EQ(&registry.open("cuda:sm_90+sm_80"), &registry.open("cuda:sm_80+sm_90"));
    EXPECT_NE(&registry.open("cuda:sm_90"), &registry.open("cuda:sm_80"));
}

TEST(BackendRegistry, UnknownTargetsAreRefusedWithTheKnownOnes) {
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [] { BackendRegistry::instance().open("abacus:a1"); }),
        HasSubstr("[target] expected one of: cpu, cuda; got 'abacus:a1'"));
}

TEST(BackendRegistry, TheCpuTakesNoArchitecture) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [] { BackendRegistry::instance().open("cpu:x86-64"); }),
                HasSubstr("'cpu:x86-64': expected no architecture for cpu"));
}

bool opens(char const* target) {
    try {
        BackendRegistry::instance().open(target);
    } catch (Error const&) {
        return false;
    }
    return true;
}

TEST(BackendRegistry, DefaultTarget) {
    ::unsetenv("KILN_TARGET");
    EXPECT_EQ(defaultTarget(), opens("cuda") ? "cuda" : "cpu");
    ::setenv("KILN_TARGET", "cuda:sm_90", 1);
    EXPECT_EQ(defaultTarget(), "cuda:sm_90");
    setDefaultTarget("cuda:sm_80+sm_90");
    EXPECT_EQ(defaultTarget(), "cuda:sm_80+sm_90");
    errorOf(ErrorKind::kInvalidArgument, [] { setDefaultTarget("cuda:sm_x"); });
    EXPECT_EQ(defaultTarget(), "cuda:sm_80+sm_90") << "a failure changes nothing";
    setDefaultTarget("");
    EXPECT_EQ(defaultTarget(), "cuda:sm_90");
    ::unsetenv("KILN_TARGET");
}

} // namespace
} // namespace kiln::target
