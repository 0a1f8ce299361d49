// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/gather.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/parallel.h"

namespace kiln::test {
namespace {

TEST(Gathering, OneThreadIsThere) {
    EXPECT_TRUE(gatherThreads(1, std::chrono::microseconds(0)));
}

TEST(Gathering, OthersCome) {
    for (int32_t const threads : {2, 3, 8}) {
        for (int i = 0; i < 20; ++i) {
            EXPECT_TRUE(gatherThreads(threads, std::chrono::seconds(20)));
        }
    }
}

TEST(Gathering, TheWaitEnds) {
    gatherThreads(64, std::chrono::microseconds(1)); // whether or not they came
    EXPECT_TRUE(gatherThreads(2, std::chrono::seconds(20)));
}

TEST(Gathering, AForkedChildHasNoOthers) {
    gatherThreads(2, std::chrono::seconds(20));
    static_cast<void>(threadCount()); // forks are noticed from here on
    pid_t const child = fork();
    if (child == 0) {
        _exit(gatherThreads(2, std::chrono::seconds(20)) ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace kiln::test
