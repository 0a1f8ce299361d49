// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/dynamic_ranges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "graph/ops/cast.h"
#include "graph/ops/reformat.h"
#include "graph/ops/shuffle.h"
#include "plan/range_role.h"

namespace kiln::api {
namespace {

constexpr float kMost = 127.0F;

/// A scalar of a floating-point type; NaN: of other types and sizes.
float scalarIn(DataType type, ByteView bytes) {
    float number = std::numeric_limits<float>::quiet_NaN();
    if (bytes.size() != bytesFor(type, 1)) {
        return number;
    }
    if (type == DataType::kFLOAT) {
        std::memcpy(&number, bytes.data(), sizeof(number));
    } else if (type == DataType::kHALF || type == DataType::kBF16) {
        uint16_t bits = 0;
        std::memcpy(&bits, bytes.data(), sizeof(bits));
        number = type == DataType::kHALF ? halfToFloat(bits)
                                         : std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    }
    return number;
}

/// Operations that keep a scalar.
bool keepsScalar(std::string_view op) {
    constexpr std::array kKinds{graph::Cast::kKind, graph::Shuffle::kKind, graph::Reformat::kKind};
    return std::find(kKinds.begin(), kKinds.end(), op) != kKinds.end();
}

/// Whether weights are those of a source, in any type and format.
bool isOf(plan::Document const& document, plan::WeightId weight, plan::WeightId source) {
    while (!weight.isNone() && weight != source && keepsScalar(document.weights[weight].op)) {
        weight = document.weights[weight].operands[0].weight;
    }
    return weight == source;
}

/// The scale in a plan: stored as a source, or as a constant.
float storedScale(plan::Document const& document, plan::WeightId source) {
    plan::WeightRecord const& record = document.weights[source];
    float scale = scalarIn(record.type.type, record.data);
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (std::isnan(scale) && isOf(document, tensor.weight, source)) {
            scale = scalarIn(tensor.type.type, tensor.data);
        }
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
