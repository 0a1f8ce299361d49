// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/memory_layout.h"

namespace kiln::runtime {

/// The layouts of an engine's profiles, each computed when it is first asked for. Thread-safe.
class MemoryLayouts {
public:
    /// The document must outlive the object.
    explicit MemoryLayouts(plan::Document const& document) : document_(document) {}

    /// The profile must exist; 0 for a plan without profiles.
    std::shared_ptr<MemoryLayout const> of(int32_t profile) const {
        auto const index = static_cast<std::size_t>(profile);
        std::lock_guard const lock(mutex_);
        layouts_.resize(std::max(layouts_.size(), index + 1));
        if (layouts_[index] == nullptr) {
            layouts_[index] = std::make_shared<MemoryLayout const>(layOutProfile(document_, index));
        }
        return layouts_[index];
    }

private:
    plan::Document const& document_;
    mutable std::mutex mutex_;
    mutable std::vector<std::shared_ptr<MemoryLayout const>> layouts_; ///< by profile
};

} // namespace kiln::runtime
