// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/number_pool.h"

#include <thread>

#include <gtest/gtest.h>

namespace kiln::graph {
namespace {

TEST(NumberPool, IsUsedAgain) {
    ExprPool const* first = nullptr;
    {
        NumberPool const pool;
        first = &*pool;
        (*pool).constant(7);
    }
    NumberPool const pool;
    EXPECT_EQ(&*pool, first);
    EXPECT_EQ((*pool).constantOr((*pool).constant(7)), 7);
}

TEST(NumberPool, IsAnotherOneWhileInUse) {
    NumberPool const outer;
    ExprRef const seven = (*outer).constant(7);
    {
        NumberPool const inner;
        EXPECT_NE(&*inner, &*outer);
        for (int64_t i = 0; i < 1000; ++i) {
            (*inner).constant(i);
        }
    }
    EXPECT_EQ((*outer).constantOr(seven), 7);
}

TEST(NumberPool, ForgetsManyNumbers) {
    {
        NumberPool const pool;
        for (int64_t i = 0; i < 1000; ++i) {
            (*pool).constant(i);
        }
    }
    NumberPool const pool;
    EXPECT_TRUE((*pool).nodes().empty());
}

TEST(NumberPool, EachThreadHasItsOwn) {
    NumberPool const mine;
    ExprPool const* other = nullptr;
    std::thread([&] {
        NumberPool const pool;
        other = &*pool;
    }).join();
    EXPECT_NE(other, &*mine);
}

} // namespace
} // namespace kiln::graph
