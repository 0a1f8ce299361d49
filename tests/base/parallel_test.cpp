// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/failing_threads.h"

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

TEST_F(Parallel, ALoopDoesNotWaitForBusyThreads) {
    setThreadCount(2);
    std::atomic<int> begun{0};
    std::atomic<bool> release{false};
    // Two pieces that block: one on this loop's caller, one on the pool's only thread.
    std::thread blocked([&] {
        parallelFor(2, 1, [&](int64_t, int64_t) {
            ++begun;
            while (!release) {
                std::this_thread::yield();
            }
        });
    });
    while (begun < 2) {
        std::this_thread::yield();
    }
    std::atomic<int64_t> sum{0};
    parallelFor(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum.load(), 1000);
    release = true;
    blocked.join();
}

TEST_F(Parallel, ManyCallersShareTheThreads) {
    setThreadCount(3);
    std::atomic<int64_t> sum{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 24; ++i) {
        callers.emplace_back([&] {
            for (int run = 0; run < 200; ++run) {
                parallelFor(50, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
            }
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
    EXPECT_EQ(sum.load(), 24 * 200 * 50);
}

TEST_F(Parallel, LoopsInsideOfLoopsEnd) {
    setThreadCount(4);
    std::atomic<int64_t> sum{0};
    parallelFor(16, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            parallelFor(100, 1, [&](int64_t from, int64_t to) { sum += to - from; });
        }
    });
    EXPECT_EQ(sum.load(), 1600);
}

TEST_F(Parallel, ThreadsWithoutWorkUseNoTime) {
    setThreadCount(4);
    std::atomic<int> warm{0};
    parallelFor(1000, 1, [&](int64_t, int64_t) { ++warm; });
    auto const processSeconds = [] {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the threads fall asleep
    double const before = processSeconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_LT(processSeconds() - before, 0.02);
}

TEST_F(Parallel, ThreadsThatCannotBeStarted) {
    setThreadCount(40); // more than earlier tests started
    std::atomic<int64_t> sum{0};
    auto const loop = [&] {
        parallelFor(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    };
    threadsFail = true;
    loop();
    threadsFail = false;
    EXPECT_EQ(sum.load(), 1000) << "the caller does the work alone";
    loop();
    EXPECT_EQ(sum.load(), 2000);
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
