// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/dynamic_ranges.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "plan/range_role.h"

namespace kiln::api {
namespace {

constexpr float kMost = 127.0F;

/// The scale in a plan: it is stored as a source, or as the constant itself.
float storedScale(plan::Document const& document, plan::WeightId id) {
    ByteView bytes = document.weights[id].data;
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (bytes.empty() && tensor.weight == id) {
            bytes = tensor.data;
        }
    }
    float scale = std::numeric_limits<float>::quiet_NaN();
    if (bytes.size() == sizeof(scale)) {
        std::memcpy(&scale, bytes.data(), sizeof(scale));
    }
    return scale;
}

} // namespace

DynamicRanges::DynamicRanges(plan::Document const& document) {
    for (plan::WeightId const id : document.weights.ids()) {
        std::string const& source = document.weights[id].name;
        if (source.ends_with(plan::kRangeRole)) {
            float const most = storedScale(document, id) * kMost;
            ranges_.push_back(
                {source.substr(0, source.size() - plan::kRangeRole.size()), source, -most, most});
        }
    }
}

DynamicRanges::Range const* DynamicRanges::find(std::string_view tensor) const noexcept {
    auto const found = std::find_if(ranges_.begin(), ranges_.end(),
                                    [&](Range const& own) { return own.tensor == tensor; });
    return found == ranges_.end() ? nullptr : &*found;
}

void DynamicRanges::set(Range const& range) {
    for (Range& own : ranges_) {
        if (own.source == range.source) {
            own.min = range.min;
            own.max = range.max;
        }
    }
}

float scaleOf(float min, float max) noexcept {
    return std::max(std::fabs(min), std::fabs(max)) / kMost;
}

} // namespace kiln::api
