// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "emulation/async_copies.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "emulation/shared_memory.h"

namespace kiln::emulation {
namespace {

constexpr std::size_t kBytes = 16;
constexpr unsigned kMostThreads = 1024;

struct Copy {
    void* to;
    void const* from; ///< null: zeros
};

/// What a thread has begun: its groups, and the copies since the last group.
struct Pending {
    std::deque<std::vector<Copy>> groups;
    std::vector<Copy> open;
};

/// Only one block runs at a time. Never destroyed: threads of the program may end after static
/// objects.
std::vector<Pending>& pending() {
    static auto* const all = new std::vector<Pending>(kMostThreads);
    return *all;
}

void finish(std::vector<Copy> const& copies) {
    for (Copy const& copy : copies) {
        if (copy.from == nullptr) {
            std::memset(copy.to, 0, kBytes);
        } else {
            std::memcpy(copy.to, copy.from, kBytes);
        }
    }
}

void beginCopy(unsigned thread, void* to, void const* from) {
    std::memset(to, kUnknown, kBytes);
    pending()[thread].open.push_back({to, from});
}

void endGroup(unsigned thread) {
    Pending& own = pending()[thread];
    own.groups.push_back(std::move(own.open));
    own.open.clear();
}

void waitForGroups(unsigned thread, unsigned left) {
    auto& groups = pending()[thread].groups;
    for (; groups.size() > left; groups.pop_front()) {
        finish(groups.front());
    }
}

void waitForCopies(unsigned thread) {
    waitForGroups(thread, 0);
    finish(pending()[thread].open);
    pending()[thread].open.clear();
}

} // namespace

void provideAsyncCopies(KilnState& state) {
    state.beginCopy = &beginCopy;
    state.endGroup = &endGroup;
    state.waitForGroups = &waitForGroups;
    state.waitForCopies = &waitForCopies;
}

void forgetAsyncCopies() {
    for (Pending& own : pending()) {
        own.groups.clear();
        own.open.clear();
    }
}

} // namespace kiln::emulation
