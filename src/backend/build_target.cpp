// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backend/build_target.h"

#include <utility>

#include <fmt/core.h>

namespace kiln::backend {
namespace {

thread_local std::string current;

} // namespace

BuildTargetScope::BuildTargetScope(std::string_view target, std::string_view architecture)
    : outer_(std::exchange(current, fmt::format("{}:{}", target, architecture))) {}

BuildTargetScope::~BuildTargetScope() {
    current = std::move(outer_);
}

std::string const& buildTarget() noexcept {
    return current;
}

} // namespace kiln::backend
