// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/build_target.h"

#include <utility>

#include <fmt/core.h>

#include "base/per_thread.h"

namespace kiln::target {
namespace {

PerThread<std::string> current;

} // namespace

BuildTargetScope::BuildTargetScope(std::string_view target, std::string_view architecture)
    : outer_(std::exchange(current.get(), fmt::format("{}:{}", target, architecture))) {}

BuildTargetScope::~BuildTargetScope() {
    *current.find() = std::move(outer_); // created by the constructor
}

std::string const& buildTarget() noexcept {
    static std::string const none;
    std::string const* const own = current.find();
    return own == nullptr ? none : *own;
}

} // namespace kiln::target
