// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::test {
namespace {

class Parallel : public testing::Test {
protected:
    void TearDown() override { setThreadCount(0); }
};

TEST_F(Parallel, RangesCoverEachItemOnce) {
    for (int32_t const threads : {1, 2, 3, 8}) {
        setThreadCount(threads);
        for (int64_t const count : {0, 1, 2, 7, 64, 1000}) {
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
            parallelFor(count, 1, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    ++seen[static_cast<std::size_t>(i)];
                }
            });
            for (auto const& times : seen) {
                EXPECT_EQ(times.load(), 1) << count << " items, " << threads << " threads";
            }
        }
    }
}

TEST_F(Parallel, SmallWorkStaysInOnePiece) {
    setThreadCount(4);
    std::atomic<int> pieces{0};
    parallelFor(99, 50, [&](int64_t, int64_t) { ++pieces; });
    EXPECT_EQ(pieces.load(), 1);
    parallelFor(100, 50, [&](int64_t, int64_t) { ++pieces; });
    EXPECT_EQ(pieces.load(), 3); // two more
}

TEST_F(Parallel, CountBelowOneRestoresTheDefault) {
    int32_t const normal = threadCount();
    setThreadCount(normal + 3);
    EXPECT_EQ(threadCount(), normal + 3);
    setThreadCount(-5);
    EXPECT_EQ(threadCount(), normal);
    EXPECT_GE(normal, 1);
}

TEST_F(Parallel, AForkedChildWorksOnOneThread) {
    setThreadCount(2);
    std::atomic<int> warm{0};
    parallelFor(1000, 1, [&](int64_t, int64_t) { ++warm; }); // the pool exists now
    pid_t const child = fork();
    if (child == 0) {
        alarm(20); // a child that waits for threads of its parent would wait for ever
        std::atomic<int64_t> sum{0};
        parallelFor(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
        _exit(sum == 1000 && threadCount() == 1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

} // namespace
} // namespace kiln::test
