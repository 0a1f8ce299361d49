// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/document.h"

namespace kiln::api {

/// The ranges by which an engine for refit quantizes tensors.
class DynamicRanges {
public:
    struct Range {
        std::string tensor;
        std::string source; ///< the weights in the plan that are the scale: "x/range"
        float min = 0.0F;
        float max = 0.0F;
    };

    explicit DynamicRanges(plan::Document const& document);

    std::vector<Range> const& all() const noexcept { return ranges_; }
    /// Null: the engine has no such range.
    Range const* find(std::string_view tensor) const noexcept;
    void set(Range const& range);

private:
    std::vector<Range> ranges_;
};

/// The scale of a range: the largest magnitude becomes 127.
float scaleOf(float min, float max) noexcept;

} // namespace kiln::api
