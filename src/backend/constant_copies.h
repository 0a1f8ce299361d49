// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/half.h"

namespace kiln::backend {

/// Converts float16 elements, as fast as the target can.
using ToFloats = void (*)(Half const* from, float* to, int64_t count);

/// Constants in another element type, as kernels of one engine want them: one copy of each constant
/// serves all kernels, and the copies together stay within a budget. A file can give many kernels
/// one constant, or constants that overlap; without both rules it would be multiplied in memory.
class ConstantCopies {
public:
    /// `budgetBytes`: of all copies together.
    explicit ConstantCopies(std::size_t budgetBytes) : left_(budgetBytes) {}

    /// float16 elements as float32; null if the budget is spent. Shared with the earlier callers
    /// that asked for the same bytes.
    std::shared_ptr<std::vector<float> const> halvesAsFloats(ByteView halves, ToFloats convert);

    /// While it lives, kernels that are loaded on this thread share `copies`.
    class Scope {
    public:
        explicit Scope(ConstantCopies& copies);
        ~Scope();
        Scope(Scope const&) = delete;
        Scope& operator=(Scope const&) = delete;

    private:
        ConstantCopies* outer_;
    };
    /// Of the innermost scope on this thread; null outside of any.
    static ConstantCopies* current() noexcept;

private:
    std::size_t left_;
    std::map<std::pair<std::byte const*, std::size_t>, std::shared_ptr<std::vector<float> const>>
        known_;
};

/// As halvesAsFloats() of the current scope; outside of any, a copy for the caller alone.
std::shared_ptr<std::vector<float> const> halvesAsFloats(ByteView halves, ToFloats convert);

} // namespace kiln::backend
