// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>

#include "base/bytes.h"
#include "base/half.h"

namespace kiln::target {

/// A constant as a kernel reads it: floats, at an address that is a multiple of 64 bytes.
class ConvertedConstant {
public:
    static constexpr std::size_t kAlignment = 64;

    /// Not initialized. Throws std::bad_alloc.
    explicit ConvertedConstant(std::size_t count);

    std::span<float> floats() noexcept { return {floats_.get(), count_}; }
    std::span<float const> floats() const noexcept { return {floats_.get(), count_}; }

private:
    struct Free {
        void operator()(float* memory) const noexcept { std::free(memory); }
    };
    std::unique_ptr<float, Free> floats_;
    std::size_t count_;
};

using ConvertedPtr = std::shared_ptr<ConvertedConstant const>;

/// Writes all floats of a copy.
using FillCopy = std::function<void(std::span<float> to)>;

/// Converts float16 elements to float32, using the target's fastest code.
using ToFloats = void (*)(Half const* from, float* to, int64_t count);

/// What copies of the constants of one engine may still take. Thread-safe.
class CopyBudget {
public:
    explicit CopyBudget(std::size_t bytes) : left_(bytes) {}

    /// Takes the bytes; false, and takes none, if fewer are left.
    bool take(std::size_t bytes) noexcept;

private:
    std::atomic<std::size_t> left_;
};

/// Converted constants for the kernels of one engine. Each constant has one copy for each way to
/// convert it, shared by all kernels, and a budget limits the total size. A plan may pass one
/// constant, or overlapping ones, to many kernels; without sharing and budget, memory use would
/// multiply.
class ConstantCopies {
public:
    /// `budgetBytes` limits the size of all copies together.
    explicit ConstantCopies(std::size_t budgetBytes)
        : budget_(std::make_shared<CopyBudget>(budgetBytes)) {}

    /// For copies that kernels make later.
    std::shared_ptr<CopyBudget> const& budget() const noexcept { return budget_; }

    /// The elements, converted to `count` floats by `fill`; null if the budget is used up. Callers
    /// that pass the same bytes and the same `way`, a literal, share one copy.
    ConvertedPtr converted(ByteView elements, std::string_view way, std::size_t count,
                           FillCopy const& fill);

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
    using Key = std::tuple<std::byte const*, std::size_t, std::string_view>;

    std::shared_ptr<CopyBudget> budget_;
    std::map<Key, ConvertedPtr> known_;
};

/// Calls converted() of the current scope; outside any scope, makes a private copy.
ConvertedPtr converted(ByteView elements, std::string_view way, std::size_t count,
                       FillCopy const& fill);

/// Float16 elements as float32.
ConvertedPtr halvesAsFloats(ByteView halves, ToFloats convert);

} // namespace kiln::target
