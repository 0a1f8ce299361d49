// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "graph/expr.h"

namespace kiln::graph {

/// RAII: a pool for rules of shapes whose extents are known numbers, as when a context changes its
/// shapes. It is the thread's own one, unless that is in use: numbers that it has seen before cost
/// no memory.
class NumberPool {
public:
    /// Throws std::bad_alloc.
    NumberPool();
    ~NumberPool();
    NumberPool(NumberPool const&) = delete;
    NumberPool& operator=(NumberPool const&) = delete;

    ExprPool& operator*() const noexcept { return *pool_; }

private:
    std::unique_ptr<ExprPool> own_; ///< null: pool_ is the thread's
    ExprPool* pool_;
};

} // namespace kiln::graph
