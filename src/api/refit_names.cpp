// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/refit_names.h"

#include <algorithm>
#include <utility>

#include "base/dtype.h"
#include "plan/range_role.h"

namespace kiln::api {
namespace {

using nvinfer1::WeightsRole;

/// The roles in a plan, and what users call them.
struct Role {
    std::string_view inPlan;
    WeightsRole role;
    std::string_view name;
};

constexpr Role kRoles[] = {
    {"kernel", WeightsRole::kKERNEL, "KERNEL"},    {"bias", WeightsRole::kBIAS, "BIAS"},
    {"shift", WeightsRole::kSHIFT, "SHIFT"},       {"scale", WeightsRole::kSCALE, "SCALE"},
    {"value", WeightsRole::kCONSTANT, "CONSTANT"},
};

} // namespace

RefitNames::RefitNames(plan::Document const& document) {
    for (plan::WeightRecord const& weight : document.weights) {
        if (!weight.name.empty() && !weight.name.ends_with(plan::kRangeRole)) {
            add(weight.name, weight.label, weight.type.type, weight.sourceBytes, false);
        }
    }
    openCount_ = entries_.size();
    for (plan::FixedWeights const& own : document.fixedWeights) {
        add(own.name, own.label, own.type, own.bytes, true);
    }
}

void RefitNames::add(std::string const& source, std::string const& label, DataType type,
                     uint64_t bytes, bool fixed) {
    if (withSource(source) != nullptr) {
        return; // layers of one name
    }
    std::size_t const at = source.rfind('/');
    std::string const layer = source.substr(0, at);
    std::string const inPlan = at == std::string::npos ? std::string() : source.substr(at + 1);
    auto const* const known = std::find_if(std::begin(kRoles), std::end(kRoles),
                                           [&](Role const& role) { return role.inPlan == inPlan; });
    bool const isKnown = known != std::end(kRoles);
    std::string shown = inPlan;
    std::transform(shown.begin(), shown.end(), shown.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    entries_.push_back(
        {source, layer, isKnown ? known->role : WeightsRole::kANY,
         !label.empty() ? label : layer + " " + (isKnown ? std::string(known->name) : shown), type,
         static_cast<int64_t>(bytes * 8 / bitsOf(type)), fixed});
}

RefitNames::Entry const* RefitNames::withSource(std::string_view source) const noexcept {
    auto const found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](Entry const& own) { return own.source == source; });
    return found == entries_.end() ? nullptr : &*found;
}

std::vector<RefitNames::Entry const*> RefitNames::named(std::string_view name) const {
    std::vector<Entry const*> found;
    for (Entry const& own : entries_) {
        if (own.name == name) {
            found.push_back(&own);
        }
    }
    return found;
}

std::vector<RefitNames::Entry const*> RefitNames::of(std::string_view layer,
                                                     WeightsRole role) const {
    std::vector<Entry const*> found;
    for (Entry const& own : entries_) {
        if (own.layer == layer && own.role == role) {
            found.push_back(&own);
        }
    }
    return found;
}

} // namespace kiln::api
