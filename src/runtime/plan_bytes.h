// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"

namespace kiln::runtime {

/// The bytes of a plan, kept as long as an engine uses them.
class PlanBytes {
public:
    virtual ~PlanBytes() = default;
    virtual ByteView view() const noexcept = 0;
};

/// A 64-byte aligned copy.
std::shared_ptr<PlanBytes const> copyOfPlan(ByteView bytes);
/// A memory-mapped file; throws kInvalidArgument if it cannot be opened.
std::shared_ptr<PlanBytes const> mappedPlan(std::string const& path);

} // namespace kiln::runtime
