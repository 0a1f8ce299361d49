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

namespace kiln::target {

/// Converts float16 elements to float32, using the target's fastest code.
using ToFloats = void (*)(Half const* from, float* to, int64_t count);

/// Converted constants for the kernels of one engine. Each constant has one copy, shared by all
/// kernels, and a budget limits the total size. A plan may pass one constant, or overlapping ones,
/// to many kernels; without sharing and budget, memory use would multiply.
class ConstantCopies {
public:
    /// `budgetBytes` limits the size of all copies together.
    explicit ConstantCopies(std::size_t budgetBytes) : left_(budgetBytes) {}

    /// The float16 elements as float32; null if the budget is used up. Callers that pass the same
    /// bytes share one copy.
    std::shared_ptr<std::vector<float> const> halvesAsFloats(ByteView halves, ToFloats convert);

    /// RAII: kernels loaded on this thread during its lifetime share `copies`.
    class Scope {
    public:
        explicit Scope(ConstantCopies& copies);
        ~Scope();
        Scope(Scope const&) = delete;
        Scope& operator=(Scope const&) = delete;

    private:
        ConstantCopies* outer_;
    };
    /// The copies of this thread's innermost scope; null outside any scope.
    static ConstantCopies* current() noexcept;

private:
    std::size_t left_;
    std::map<std::pair<std::byte const*, std::size_t>, std::shared_ptr<std::vector<float> const>>
        known_;
};

/// Calls halvesAsFloats() of the current scope; outside any scope, makes a private copy.
std::shared_ptr<std::vector<float> const> halvesAsFloats(ByteView halves, ToFloats convert);

} // namespace kiln::target
