// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/number_pool.h"

#include "base/per_thread.h"

namespace kiln::graph {
namespace {

// Networks have few different extents at a time. What other shapes left is dropped.
constexpr std::size_t kMostNodes = 256;

struct OfThread {
    ExprPool pool;
    bool inUse = false;
};

OfThread& ofThread() {
    static PerThread<OfThread> all;
    return all.get();
}

} // namespace

NumberPool::NumberPool() {
    OfThread& mine = ofThread();
    if (mine.inUse) {
        own_ = std::make_unique<ExprPool>();
        pool_ = own_.get();
        return;
    }
    if (mine.pool.nodes().size() > kMostNodes) {
        mine.pool = ExprPool();
    }
    mine.inUse = true;
    pool_ = &mine.pool;
}

NumberPool::~NumberPool() {
    if (own_ == nullptr) {
        ofThread().inUse = false;
    }
}

} // namespace kiln::graph
