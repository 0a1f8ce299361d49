// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/failing_threads.h"
#include "base/parallel.h"

namespace kiln::test {
namespace {

/// A loop whose pieces all wait until the caller and every piece have arrived.
struct Meeting {
    std::atomic<int32_t> arrived{0};
    int32_t expected = 0;

    void arrive() {
        ++arrived;
        while (arrived < expected) {
            std::this_thread::yield();
        }
    }
    static void piece(void const* context, int64_t) {
        const_cast<Meeting*>(static_cast<Meeting const*>(context))->arrive();
    }
};

void meet(Team& team) {
    Meeting meeting;
    meeting.expected = team.members();
    team.start({&Meeting::piece, &meeting, team.members() - 1});
    meeting.arrive();
    team.finish();
    EXPECT_EQ(meeting.arrived, team.members());
}

TEST(Teams, AllMembersRunAtTheSameTime) {
    for (int32_t const members : {1, 2, 5}) {
        Team team(members);
        ASSERT_EQ(team.members(), members);
        for (int i = 0; i < 100; ++i) {
            meet(team);
        }
    }
}

TEST(Teams, TeamsOfManyCallersDoNotBlockEachOther) {
    std::vector<std::thread> callers;
    std::atomic<bool> done{false};
    for (int32_t caller = 0; caller < 6; ++caller) {
        callers.emplace_back([caller] {
            for (int i = 0; i < 30; ++i) {
                Team team(2 + caller % 3);
                EXPECT_EQ(team.members(), 2 + caller % 3);
                meet(team);
                meet(team);
            }
        });
    }
    std::thread ordinary([&] {
        while (!done) {
            parallelFor(64, 1, [](int64_t, int64_t) {});
        }
    });
    for (std::thread& caller : callers) {
        caller.join();
    }
    done = true;
    ordinary.join();
}

TEST(Teams, MoreTeamsThanPlaces) {
    std::vector<std::unique_ptr<Team>> teams;
    for (int i = 0; i < 20; ++i) {
        teams.push_back(std::make_unique<Team>(2));
        meet(*teams.back());
    }
    EXPECT_EQ(teams.front()->members(), 2);
    EXPECT_EQ(teams.back()->members(), 1) << "the pool has places for 16 loops";
}

TEST(Teams, WithoutThreadsATeamIsItsCaller) {
    threadsFail = true;
    Team alone(70); // more than earlier tests started
    threadsFail = false;
    EXPECT_EQ(alone.members(), 1);
    meet(alone);
    Team team(70);
    EXPECT_EQ(team.members(), 70);
}

TEST(Teams, AForkedChildHasNoTeam) {
    EXPECT_GE(threadCount(), 1);
    {
        Team team(2);
        meet(team);
    }
    pid_t const child = fork();
    if (child == 0) {
        alarm(20);
        Team team(2);
        _exit(team.members());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << "status " << status;
}

} // namespace
} // namespace kiln::test
