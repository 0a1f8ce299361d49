// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_bytes.h"

#include <cstdint>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace kiln::runtime {
namespace {

TEST(PlanBytes, CopyIsAlignedAndIndependent) {
    Bytes source(1000);
    for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<std::byte>(i);
    }
    std::shared_ptr<PlanBytes const> const copy = copyOfPlan(source);
    Bytes const original = source;
    source.assign(source.size(), std::byte{0});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(copy->view().data()) % 64, 0U);
    ASSERT_EQ(copy->view().size(), original.size());
    EXPECT_EQ(std::memcmp(copy->view().data(), original.data(), original.size()), 0);
}

TEST(PlanBytes, EmptyCopy) {
    EXPECT_TRUE(copyOfPlan({})->view().empty());
}

TEST(PlanBytes, MissingFileIsNamed) {
    try {
        mappedPlan("/nowhere/model.plan");
        FAIL() << "expected an error";
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
        EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/model.plan"));
    }
}

} // namespace
} // namespace kiln::runtime
